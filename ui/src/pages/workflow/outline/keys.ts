// The keys of the outline.

export type Command =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'move-up'
  | 'move-down'
  | 'remove'
  | 'duplicate'
  | 'rename'
  | 'add'
  | 'undo'
  | 'redo';

type Pressed = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

const PLAIN: Record<string, Command> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
  Delete: 'remove',
  Backspace: 'remove',
  F2: 'rename',
  a: 'add',
  '+': 'add',
};

/** The command of a key on a card; undefined for other keys. Enter and the menu key are those of a button. */
export function commandOf({ key, altKey, ctrlKey, metaKey, shiftKey }: Pressed): Command | undefined {
  const control = ctrlKey || metaKey;
  if (altKey && !control) return key === 'ArrowUp' ? 'move-up' : key === 'ArrowDown' ? 'move-down' : undefined;
  if (control) {
    const letter = key.toLowerCase();
    if (letter === 'd' && !shiftKey) return 'duplicate';
    if (letter === 'z') return shiftKey ? 'redo' : 'undo';
    return letter === 'y' ? 'redo' : undefined;
  }
  return PLAIN[key];
}

/** The keys of the menu and of the help below the list. */
export const KEYS = {
  'move-up': 'Alt ↑',
  'move-down': 'Alt ↓',
  duplicate: 'Ctrl D',
  rename: 'F2',
  remove: 'Del',
  add: 'A',
} as const;

type Place<List> = { list: List; index: number };

/** The place that a command moves to from a place, across both lists. */
export function neighbour<List>(command: Command, places: Place<List>[], { list, index }: Place<List>): Place<List> {
  const at = places.findIndex((place) => place.list === list && place.index === index);
  const last = places.length - 1;
  const to = command === 'first' ? 0 : command === 'last' ? last : command === 'up' ? at - 1 : at + 1;
  const found = places[Math.min(Math.max(to, 0), last)];
  return { list: found?.list ?? list, index: found?.index ?? index };
}
