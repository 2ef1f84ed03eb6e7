// A JSON value as pretty-printed lines. Not recursive, because values can be nested to any depth.

/** The maximum number of lines. */
export const MAX_LINES = 100_000;
/** Longer strings are cut and can be expanded. */
export const MAX_CHARACTERS = 400;

export type Line = {
  depth: number;
  /** The key in the object; undefined in arrays and for the root. */
  key: string | undefined;
  /** The content of the line: a primitive value or brackets. */
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

/** The entries of a container, up to the limit. */
function entriesOf(value: object): Entry[] {
  if (Array.isArray(value)) {
    return value.slice(0, MAX_LINES).map((item: unknown) => ({ key: undefined, value: item }));
  }
  const entries: [string, unknown][] = Object.entries(value).slice(0, MAX_LINES);
  return entries.map(([key, item]) => ({ key, value: item }));
}

/** The lines of a value, and whether the limit cut them. */
export function linesOf(value: unknown): { lines: Line[]; cut: boolean } {
  const lines: Line[] = [];
  const levels: Level[] = [{ entries: [{ key: undefined, value }], next: 0, close: '' }];
  while (lines.length < MAX_LINES) {
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

// Invisible characters and those that change the text direction are escaped.
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Escapes invisible characters. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A JSON string with invisible characters escaped. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

export type Leaf = { kind: 'string' | 'number' | 'keyword'; text: string; hidden: number };

/** A primitive value as text. Long strings are cut. */
export function leafOf(value: unknown): Leaf {
  if (typeof value === 'string') {
    const hidden = value.length - MAX_CHARACTERS;
    if (hidden <= 0) return { kind: 'string', text: quoted(value), hidden: 0 };
    return { kind: 'string', text: `${quoted(value.slice(0, MAX_CHARACTERS)).slice(0, -1)}…`, hidden };
  }
  if (typeof value === 'number') return { kind: 'number', text: String(value), hidden: 0 };
  return { kind: 'keyword', text: String(value), hidden: 0 };
}

/** A value as text to copy: strings unchanged, everything else as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
