// The context of a cursor position. It uses the indentation of lines, so that it works with incomplete lines.
import { ITEM, type Path } from './schema';

export type CursorContext = {
  /** The path of the surrounding map. */
  path: Path;
  /** The name of the field if the cursor is in its value. */
  field: string | undefined;
  /** The part of the key or value before the cursor. */
  typed: string;
  /** The indentation of the keys; undefined in a flow map. */
  indent: number | undefined;
  /** The keys of the map on other lines. */
  siblings: Set<string>;
};

type Line = { dashes: number[]; column: number; key: string | undefined; rest: string };

/** `line` is the index of the line, `before` its text up to the cursor. */
export function cursorContext(lines: string[], line: number, before: string): CursorContext | undefined {
  const here = readLine(before);
  if (!here) return undefined;
  const flow = here.rest.includes('{') ? flowContext(here) : undefined;
  const { path, siblings } = parentPath(lines, line, here);
  if (flow) {
    const outer = here.key === undefined ? path : [...path, here.key];
    return {
      path: [...outer, ...flow.inner],
      field: flow.field,
      typed: flow.typed,
      indent: undefined,
      siblings: flow.seen,
    };
  }
  if (here.key !== undefined) return { path, field: here.key, typed: here.rest, indent: here.column, siblings };
  return { path, field: undefined, typed: here.rest, indent: here.column, siblings };
}

function readLine(text: string): Line | undefined {
  const lead = /^(\s*(?:- +)*)(.*)$/.exec(text);
  if (!lead) return undefined;
  const [, start = '', body = ''] = lead;
  if (body.startsWith('#')) return undefined;
  const dashes = [...start.matchAll(/-/g)].map(({ index }) => index);
  const pair = /^([\w$]+|"[^"]*"|'[^']*'):(?:\s+(.*))?$/.exec(body);
  const key = pair?.[1]?.replace(/^["']|["']$/g, '');
  return { dashes, column: start.length, key, rest: pair ? (pair[2] ?? '') : body };
}

/** Goes up to the parents by indentation and collects sibling keys. */
function parentPath(lines: string[], line: number, here: Line): { path: Path; siblings: Set<string> } {
  const path: Path = [];
  const siblings = new Set<string>();
  let level = here.column;
  let dashes = [...here.dashes];
  const enterItems = () => {
    for (const dash of dashes.toReversed()) {
      path.unshift(ITEM);
      level = dash;
    }
  };
  const inFirstMap = () => path.length === 0;
  enterItems();
  if (inFirstMap()) collectBelow(lines, line, here.column, siblings);
  for (let index = line - 1; index >= 0 && (level > 0 || path[0] === ITEM || inFirstMap()); index -= 1) {
    const above = lineAt(lines, index);
    if (!above) continue;
    const listed = path[0] === ITEM;
    const isParent =
      above.key !== undefined && above.rest === '' && (listed ? above.column <= level : above.column < level);
    if (isParent && above.key !== undefined && !(listed && above.dashes.includes(level))) {
      path.unshift(above.key);
      level = above.column;
      dashes = above.dashes;
      enterItems();
    } else if (above.column === level && !listed) {
      if (inFirstMap() && above.key !== undefined) siblings.add(above.key);
      dashes = above.dashes;
      enterItems();
    }
  }
  return { path, siblings };
}

function lineAt(lines: string[], index: number): Line | undefined {
  const text = lines[index] ?? '';
  return text.trim() === '' ? undefined : readLine(text);
}

function collectBelow(lines: string[], line: number, column: number, siblings: Set<string>) {
  for (let index = line + 1; index < lines.length; index += 1) {
    const below = lineAt(lines, index);
    if (!below) continue;
    if (below.column < column || below.dashes.length > 0) return;
    if (below.column === column && below.key !== undefined) siblings.add(below.key);
  }
}

/** The context inside a flow map on one line: `{ cron: "0 9 * * *", time|`. */
function flowContext({
  rest,
}: Line): { inner: Path; field: string | undefined; typed: string; seen: Set<string> } | undefined {
  type Level = { key: string | undefined; seen: Set<string> };
  const open: Level[] = [];
  let word = '';
  let quote = '';
  for (const character of rest) {
    const top = open.at(-1);
    if (quote) {
      if (character === quote) quote = '';
      word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word += character;
    } else if (character === '{') {
      open.push({ key: undefined, seen: new Set() });
      word = '';
    } else if (character === '}') {
      open.pop();
      word = '';
    } else if (character === ',' && top) {
      top.key = undefined;
      word = '';
    } else if (character === ':' && top && top.key === undefined) {
      top.key = word.trim();
      top.seen.add(top.key);
      word = '';
    } else word += character;
  }
  const top = open.at(-1);
  if (!top) return undefined;
  const inner = open.slice(0, -1).flatMap(({ key }) => (key === undefined ? [] : [key]));
  return { inner, field: top.key, typed: word.trimStart(), seen: top.seen };
}
