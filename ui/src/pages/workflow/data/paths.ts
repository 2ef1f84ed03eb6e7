// Paths of expressions, such as `steps.load.$return_value.items[0].id`, and the data that they lead to.

/** Values of the environment, by name. Those of secrets are undefined. */
export type Env = Record<string, string | undefined>;
/** The data that expressions and code read: the event, the exports of steps, and for expressions the environment. */
export type Scope = { event?: unknown; steps: Record<string, unknown>; process?: { env: Env } };
export type Path = (string | number)[];
export type Entry = { key: string | number; value: unknown };

const MOST_ENTRIES = 200;
const PREVIEW = 60;
const PART = String.raw`\.[A-Za-z_$][\w$]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\]`;
const BEFORE = new RegExp(String.raw`(?<![\w$.\]])((?:steps|event|process)(?:${PART})*)\??\.([\w$]*)$`);
const WHOLE = new RegExp(String.raw`(?<![\w$.\]])(?:steps|event|process)(?:\??(?:${PART}))*`, 'g');

/** The path that a text ends with, and the beginning of its next part. */
export function pathBefore(text: string): { path: Path; typed: string } | undefined {
  const found = BEFORE.exec(text.replaceAll('?.[', '[').replaceAll('?.', '.'));
  return found ? { path: parse(found[1] ?? ''), typed: found[2] ?? '' } : undefined;
}

/** The path at a position of a text, up to the part at that position. */
export function pathAt(text: string, position: number): { path: Path; from: number; to: number } | undefined {
  for (const match of text.matchAll(WHOLE)) {
    const [from, end] = [match.index, match.index + match[0].length];
    if (position < from || position > end) continue;
    const rest = /^[\w$]*/.exec(text.slice(position))?.[0].length ?? 0;
    const to = Math.min(end, position + rest);
    return { path: parse(text.slice(from, to).replaceAll('?', '')), from, to };
  }
  return undefined;
}

function parse(text: string): Path {
  const parts = text.match(new RegExp(String.raw`^[\w$]+|${PART}`, 'g')) ?? [];
  return parts.map((part) => {
    if (part.startsWith('["')) return JSON.parse(part.slice(1, -1)) as string;
    return part.startsWith('[') ? Number(part.slice(1, -1)) : part.replace(/^\./, '');
  });
}

export function pathText(path: Path): string {
  return path.map((part, index) => partText(part, index === 0)).join('');
}

function partText(part: string | number, first: boolean): string {
  if (typeof part === 'number') return `[${part}]`;
  if (first) return part;
  return /^[A-Za-z_$][\w$]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
}

/** `undefined` also for a path that leads nowhere. */
export function valueAt(scope: Scope, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Record<string | number, unknown>)[part];
  }, scope);
}

/** The parts of an object or a list. */
export function entriesOf(value: unknown): Entry[] {
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((item, key) => ({ key, value: item as unknown }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .slice(0, MOST_ENTRIES)
    .map(([key, item]) => ({ key, value: item as unknown }));
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `list of ${value.length}`;
  return typeof value;
}

/** The beginning of a value, on one line. */
export function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** Whether a text ends within an expression. */
export function isWithin(text: string): boolean {
  return text.lastIndexOf('{{') > text.lastIndexOf('}}');
}

/** A text with a path inserted at a selection, as an expression unless it is within one already; and the new position. */
export function inserted(text: string, [from, to]: [number, number], path: Path): { text: string; at: number } {
  const before = text.slice(0, from);
  const added = isWithin(before) ? pathText(path) : `{{ ${pathText(path)} }}`;
  return { text: before + added + text.slice(to), at: from + added.length };
}
