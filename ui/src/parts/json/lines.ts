// A JSON value as lines, like an editor would show it. Made without recursion: values come from anywhere.

/** More lines than this help nobody, and take their time. */
export const MOST_LINES = 100_000;
/** Strings are shown up to here; the rest is there for who asks. */
export const MOST_CHARACTERS = 400;

export type Line = {
  depth: number;
  /** The key in the object; undefined in arrays and for the value itself. */
  key: string | undefined;
  /** What stands on the line: a value that is no container, or brackets. */
  shown: { leaf: unknown } | { bracket: string };
  comma: boolean;
};

type Entry = { key: string | undefined; value: unknown };
type Level = { entries: Entry[]; next: number; close: string };

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** What a container holds, as far as it can be shown. */
function entriesOf(value: object): Entry[] {
  if (Array.isArray(value)) {
    return value.slice(0, MOST_LINES).map((item: unknown) => ({ key: undefined, value: item }));
  }
  const entries: [string, unknown][] = Object.entries(value).slice(0, MOST_LINES);
  return entries.map(([key, item]) => ({ key, value: item }));
}

/** The lines of a value, and whether some were left out at the end. */
export function linesOf(value: unknown): { lines: Line[]; cut: boolean } {
  const lines: Line[] = [];
  const levels: Level[] = [{ entries: [{ key: undefined, value }], next: 0, close: '' }];
  while (lines.length < MOST_LINES) {
    const level = levels.at(-1);
    if (!level) return { lines, cut: false };
    const entry = level.entries[level.next];
    const depth = levels.length - 1;
    if (!entry) {
      levels.pop();
      const outer = levels.at(-1);
      if (!outer) return { lines, cut: false };
      lines.push({
        depth: depth - 1,
        key: undefined,
        shown: { bracket: level.close },
        comma: outer.next < outer.entries.length,
      });
      continue;
    }
    level.next += 1;
    const comma = level.next < level.entries.length;
    const inner = isContainer(entry.value) ? entriesOf(entry.value) : undefined;
    const [open, close] = Array.isArray(entry.value) ? ['[', ']'] : ['{', '}'];
    if (inner && inner.length > 0) {
      lines.push({ depth, key: entry.key, shown: { bracket: open }, comma: false });
      levels.push({ entries: inner, next: 0, close });
    } else {
      const shown = inner ? { bracket: open + close } : { leaf: entry.value };
      lines.push({ depth, key: entry.key, shown, comma });
    }
  }
  return { lines, cut: true };
}

// Characters that would turn the text around them, or cannot be seen, are written as JSON may write them.
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text in which nothing hides. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A string as JSON writes it, with what cannot be seen made visible. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

export type Leaf = { kind: 'string' | 'number' | 'keyword'; text: string; hidden: number };

/** How a value that is no container is written; of a long string only the beginning. */
export function leafOf(value: unknown): Leaf {
  if (typeof value === 'string') {
    const hidden = value.length - MOST_CHARACTERS;
    if (hidden <= 0) return { kind: 'string', text: quoted(value), hidden: 0 };
    return { kind: 'string', text: `${quoted(value.slice(0, MOST_CHARACTERS)).slice(0, -1)}…`, hidden };
  }
  if (typeof value === 'number') return { kind: 'number', text: String(value), hidden: 0 };
  return { kind: 'keyword', text: String(value), hidden: 0 };
}

/** A value as text to copy: strings as they are, the rest as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
