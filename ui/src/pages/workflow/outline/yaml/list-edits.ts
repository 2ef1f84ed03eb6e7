// Adds, removes and moves items of a list by text changes.
import { isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { setIn, styleOf } from './map-edits';
import { pairOf, startOf, valueAt } from './nodes';
import type { List, ListName, Outline } from './read';
import { indented } from './stringify';
import { type Change, lineEnd, lineStart, lineStop, nextLine, withLineEnds } from './text';

/** A new item as block YAML, such as `- name: a\n  code: …`. */
export type NewItem = string;

/** Inserts an item before the one at `index`. */
export function insertItem(outline: Outline, name: ListName, index: number, item: NewItem): Change[] | undefined {
  const list = outline[name];
  if (list.kind === 'missing') return firstItem(outline, name, item);
  if (list.kind === 'flow')
    return list.items.length === 0 ? intoEmpty(outline, name, item) : intoFlow(outline, list, index, item);
  if (list.kind === 'other') return undefined;
  const { text } = outline;
  const { from, to } = list.units;
  const end = lineEnd(text);
  const column = dashColumn(outline, list);
  const lines = `${' '.repeat(column)}${indented(item.trimEnd(), column)}\n`;
  const gap = usualGap(text, list);
  if (index > 0) {
    const at = to[Math.min(index, to.length) - 1] ?? text.length;
    const open = at > 0 && text[at - 1] !== '\n';
    const insert = open ? `\n${gap}${lines.trimEnd()}` : `${gap}${lines}`;
    return [{ from: at, to: at, insert: withLineEnds(insert, end) }];
  }
  const at = from[0] ?? text.length;
  return [{ from: at, to: at, insert: withLineEnds(`${lines}${gap}`, end) }];
}

/** Empty lines between items, if there are such between all of them. */
function usualGap(text: string, { units: { from, to } }: List): string {
  if (from.length < 2) return '';
  const gaps = from.slice(1).map((start, index) => text.slice(to[index], start));
  return gaps.every((gap) => /^\s*\n/.test(gap)) ? '\n' : '';
}

function dashColumn({ text }: Outline, { units }: List): number {
  const from = units.from[0] ?? 0;
  const lines = text.slice(from, units.to[0]).split('\n');
  const line = lines.find((one) => /^\s*-/.test(one)) ?? '';
  return Math.max(line.search(/\S/), 0);
}

/** Adds the key of the list with its first item. Triggers go before the steps. */
function firstItem(outline: Outline, name: ListName, item: NewItem): Change[] | undefined {
  const { text, top } = outline;
  const end = lineEnd(text);
  const { node } = top;
  if (isMap(node) && node.flow) return setIn(text, node, [name], [valueOfItem(item)]);
  const lines = `  ${indented(item.trimEnd(), 2)}\n`;
  const pair = isMap(node) ? pairOf(node, name) : undefined;
  if (isScalar(pair?.key)) {
    const at = nextLine(text, outline.place(startOf(pair.key)));
    const open = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
    return [{ from: at, to: at, insert: withLineEnds(`${open}${lines}`, end) }];
  }
  const before = name === 'triggers' ? startOfKey(outline, ['steps']) : undefined;
  if (before !== undefined) return [{ from: before, to: before, insert: withLineEnds(`${name}:\n${lines}`, end) }];
  const open = text !== '' && !text.endsWith('\n') ? '\n' : '';
  return [{ from: text.length, to: text.length, insert: withLineEnds(`${open}${name}:\n${lines}`, end) }];
}

/** The start of the first of these keys, with the comments above it. */
function startOfKey({ text, top, place }: Outline, names: string[]): number | undefined {
  const { node } = top;
  const pairs = isMap(node) ? names.map((name) => pairOf(node, name)) : [];
  const starts = pairs.flatMap((pair) => (isScalar(pair?.key) ? [place(startOf(pair.key))] : []));
  if (starts.length === 0) return undefined;
  let at = lineStart(text, Math.min(...starts));
  while (
    at > 0 &&
    text
      .slice(lineStart(text, at - 1), at)
      .trimStart()
      .startsWith('#')
  )
    at = lineStart(text, at - 1);
  return at;
}

/** Declares a secret. A new `env` goes before triggers and steps. */
export function newEnv(outline: Outline, name: string): Change[] | undefined {
  const { node } = outline.top;
  const at = startOfKey(outline, ['triggers', 'steps']);
  if (at === undefined || !isMap(node) || node.flow || pairOf(node, 'env')) return undefined;
  return [{ from: at, to: at, insert: withLineEnds(`env:\n  ${name}: { secret: true }\n`, lineEnd(outline.text)) }];
}

/** Replaces `[]`. In a document with blocks it becomes a block. */
function intoEmpty(outline: Outline, name: ListName, item: NewItem): Change[] | undefined {
  const { text, top, place } = outline;
  const node = valueAt(top.node, name);
  if (!isSeq(node) || !node.range || !isMap(top.node)) return undefined;
  const [from, to] = [place(node.range[0]), place(node.range[1])];
  const style = styleOf(top.text, top.node);
  if (style.flow) return [{ from, to, insert: `[${JSON.stringify(valueOfItem(item))}]` }];
  if (text.slice(to, lineStop(text, to)).trim() !== '') return undefined;
  const start = text[from - 1] === ' ' ? from - 1 : from;
  return [{ from: start, to, insert: withLineEnds(`\n  ${indented(item.trimEnd(), 2)}`, lineEnd(text)) }];
}

/** Adds an item between brackets, as JSON, which is also YAML. */
function intoFlow({ text }: Outline, list: List, index: number, item: NewItem): Change[] | undefined {
  const { from, to } = list.units;
  const insert = JSON.stringify(valueOfItem(item));
  const gaps = from.slice(1).map((start, at) => text.slice(to[at], start));
  const first = from[0] ?? 0;
  const ownLine = text.slice(lineStart(text, first), first).trim() === '';
  const gap = gaps[0] ?? (ownLine ? `,${lineEnd(text)}${text.slice(lineStart(text, first), first)}` : ', ');
  if (gaps.some((one) => one.includes('#'))) return undefined;
  if (index === 0) return [{ from: first, to: first, insert: `${insert}${gap}` }];
  const at = to[Math.min(index, to.length) - 1] ?? 0;
  return [{ from: at, to: at, insert: `${gap}${insert}` }];
}

export function valueOfItem(item: NewItem): unknown {
  const list = parseDocument(item).toJS() as unknown;
  return Array.isArray(list) ? (list[0] as unknown) : undefined;
}

export function removeItem({ text }: Outline, list: List, index: number): Change[] | undefined {
  const { from, to } = list.units;
  const [start, end] = [from[index], to[index]];
  if (start === undefined || end === undefined || list.kind === 'other') return undefined;
  const following = from[index + 1];
  const before = to[index - 1];
  // One of the gaps beside it goes with it, unless it has a comment.
  const isPlain = (a: number, b: number) => !text.slice(a, b).includes('#');
  if (list.kind === 'flow') {
    if (following !== undefined)
      return isPlain(end, following) ? [{ from: start, to: following, insert: '' }] : undefined;
    if (before !== undefined) return isPlain(before, start) ? [{ from: before, to: end, insert: '' }] : undefined;
    return [{ from: start, to: end, insert: '' }];
  }
  // A key without items is empty.
  if (from.length === 1 && list.items.length === 1) return [{ from: start, to: end, insert: '' }];
  if (following !== undefined && isPlain(end, following)) return [{ from: start, to: following, insert: '' }];
  if (before !== undefined && isPlain(before, start)) return [{ from: before, to: end, insert: '' }];
  return [{ from: start, to: end, insert: '' }];
}

/** Moves an item to another index. The text between items keeps its place. */
export function moveItem({ text }: Outline, list: List, index: number, target: number): Change[] | undefined {
  const { from, to } = list.units;
  if (list.kind === 'other' || index === target || from[index] === undefined || from[target] === undefined)
    return undefined;
  const [low, high] = index < target ? [index, target] : [target, index];
  const order = from.map((_, at) => at);
  order.splice(target, 0, ...order.splice(index, 1));
  const end = lineEnd(text);
  const unit = (at: number) => text.slice(from[at], to[at]);
  const gap = (at: number) => text.slice(to[at], from[at + 1]);
  const gaps = Array.from({ length: high - low }, (_, at) => gap(low + at));
  const start = from[low] ?? 0;
  const stop = to[high] ?? 0;
  const isOpen = list.kind === 'block' && !text.slice(start, stop).endsWith('\n');
  const whole = (at: number) => (isOpen && at === high ? `${unit(at)}${end}` : unit(at));
  if (gaps.every((one) => one === gaps[0]) && !isOpen) {
    const moved = unit(index);
    // The item goes with the gap between it and the others.
    return index < target
      ? [
          { from: from[index] ?? 0, to: from[index + 1] ?? 0, insert: '' },
          { from: stop, to: stop, insert: `${gaps[0] ?? ''}${moved}` },
        ]
      : [
          { from: start, to: start, insert: `${moved}${gaps[0] ?? ''}` },
          { from: to[index - 1] ?? 0, to: to[index] ?? 0, insert: '' },
        ];
  }
  const parts = order.slice(low, high + 1).map((at, place) => `${whole(at)}${gaps[place] ?? ''}`);
  const joined = parts.join('');
  return [{ from: start, to: stop, insert: isOpen ? joined.slice(0, -end.length) : joined }];
}

/** The text of an item as a new item after it. */
export function copyItem(outline: Outline, list: List, index: number): Change[] | undefined {
  const { text } = outline;
  const { from, to } = list.units;
  const [start, end] = [from[index], to[index]];
  const item = list.items[index]?.item;
  if (start === undefined || end === undefined || !item?.node || list.kind === 'other') return undefined;
  let anchored = false;
  visit(item.node, (_, node) => {
    if (typeof node === 'object' && node !== null && 'anchor' in node && node.anchor) anchored = true;
  });
  if (anchored) return undefined;
  const unit = text.slice(start, end);
  if (list.kind === 'flow') {
    const gap = from.length > 1 ? text.slice(to[0], from[1]) : ', ';
    return gap.includes('#') ? undefined : [{ from: end, to: end, insert: `${gap}${unit}` }];
  }
  const gap = usualGap(text, list) ? lineEnd(text) : '';
  const open = !unit.endsWith('\n');
  return [{ from: end, to: end, insert: open ? `${lineEnd(text)}${gap}${unit}` : `${gap}${unit}` }];
}
