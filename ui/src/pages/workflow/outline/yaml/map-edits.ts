// Sets and removes fields of a map by text changes. Other lines stay as they are.
import { isMap, isNode, isScalar, type Node, type Pair, type YAMLMap } from 'yaml';
import { colonEnd, endOf, isAbsent, isBlockScalar, isFlow, mapColumn, pairEnd, pairOf, startOf } from './nodes';
import { pairText, type Style, valueText } from './stringify';
import { type Change, equal, lineEnd, lineStart, lineStop, nextLine, withLineEnds } from './text';

export type Path = [string, ...string[]];

/** The changes that set the value at a path, or remove it; undefined if the text cannot be changed safely. */
export function setIn(text: string, map: YAMLMap, [key, ...rest]: Path, value: unknown): Change[] | undefined {
  const pair = pairOf(map, key);
  const deeper = rest as string[];
  if (!pair) return value === undefined ? [] : addPair(text, map, key, nested(deeper, value), deeper.length);
  if (!isPath(deeper)) {
    if (value === undefined) return removePair(text, map, pair);
    return setField(text, map, pair, value);
  }
  const inner = pair.value;
  if (isMap(inner)) {
    const onlyOne = inner.items.length === 1 && pairOf(inner, deeper[0]) !== undefined;
    if (value === undefined && deeper.length === 1 && onlyOne) return removePair(text, map, pair);
    if (inner.items.length === 0 && value !== undefined)
      return replaceValue(text, map, pair, nested(deeper, value), deeper.length);
    return setIn(text, inner, deeper, value);
  }
  if (!isScalar(inner) || inner.value !== null)
    return inner === null && value !== undefined
      ? replaceValue(text, map, pair, nested(deeper, value), deeper.length)
      : undefined;
  return value === undefined ? [] : replaceValue(text, map, pair, nested(deeper, value), deeper.length);
}

/** Sets each field that differs, so that comments between fields stay. Undefined if the changes would touch each other. */
function setFields(text: string, map: YAMLMap, value: Record<string, unknown>): Change[] | undefined {
  const changes: Change[] = [];
  const known = new Set<string>();
  let removed = 0;
  let lastRemoved = false;
  for (const pair of map.items) {
    if (!isScalar(pair.key)) return undefined;
    const key = String(pair.key.value);
    known.add(key);
    lastRemoved = !(key in value);
    if (lastRemoved) removed += 1;
    const change = lastRemoved ? removePair(text, map, pair) : setField(text, map, pair, value[key]);
    if (!change) return undefined;
    changes.push(...change);
  }
  const added = Object.keys(value).filter((key) => !known.has(key));
  if (removed === map.items.length || (removed > 0 && isFlow(map)) || (lastRemoved && added.length > 0))
    return undefined;
  for (const key of added) {
    const change = addPair(text, map, key, value[key]);
    if (!change) return undefined;
    changes.push(...change);
  }
  return changes;
}

function setField(text: string, map: YAMLMap, pair: Pair, now: unknown): Change[] | undefined {
  const node = pair.value;
  if (isNode(node) && equal(node.toJSON(), now)) return [];
  return isRecord(now) && isFilledMap(node)
    ? (setFields(text, node, now) ?? replaceValue(text, map, pair, now))
    : replaceValue(text, map, pair, now);
}

/** `outer` is the number of new objects around the value. */
function replaceValue(text: string, map: YAMLMap, pair: Pair, value: unknown, outer = 0): Change[] | undefined {
  const node = isNode(pair.value) ? pair.value : undefined;
  const style: Style = { ...styleOf(text, map), outer, quotes: isScalar(node) ? (node.type ?? undefined) : undefined };
  const colon = colonEnd(text, pair);
  if (!node || isAbsent(node)) {
    const comment = text.slice(colon, lineStop(text, colon)).trim() !== '' && !style.flow;
    return [inText(text, { from: colon, to: colon, insert: valueText(value, { ...style, oneLine: comment }) })];
  }
  const end = endOf(text, node);
  const isBlock = isBlockCollection(node);
  const after = text.slice(end, lineStop(text, end)).trim();
  const between = text.slice(colon, startOf(node));
  const oneLine = !style.flow && after.startsWith('#') && !isBlock;
  const insert = valueText(value, { ...style, oneLine, block: isBlock });
  // Anchors and tags are before the value.
  if (/[&!]/.test(between)) return undefined;
  const stop = isBlock ? lineStop(text, end) : end;
  if (isBlock && between.includes('#')) {
    if (!insert.startsWith('\n')) return undefined;
    return [inText(text, { from: lineStop(text, colon), to: stop, insert })];
  }
  if (isBlock || isBlockScalar(node) || !insert.startsWith(' ')) {
    const header = isBlockScalar(node) ? text.slice(startOf(node), lineStop(text, startOf(node))) : '';
    if (header.includes('#')) return undefined;
    return [inText(text, { from: colon, to: stop, insert })];
  }
  return [inText(text, { from: startOf(node), to: stop, insert: insert.slice(1) })];
}

function addPair(text: string, map: YAMLMap, key: string, value: unknown, outer = 0): Change[] | undefined {
  const style = { ...styleOf(text, map), outer };
  const last = map.items.at(-1);
  if (isFlow(map)) {
    if (last)
      return [
        {
          from: pairEnd(text, last),
          to: pairEnd(text, last),
          insert: `,${gapBefore(text, map)}${pairText(key, value, style)}`,
        },
      ];
    const [from, to] = map.range ?? [0, 0];
    return [{ from, to, insert: `{ ${pairText(key, value, style)} }` }];
  }
  if (!last) return undefined;
  const at = lineStop(text, pairEnd(text, last));
  const insert = `\n${' '.repeat(style.column)}${pairText(key, value, style)}`;
  return [inText(text, { from: at, to: at, insert })];
}

/** The whitespace between the pairs of a flow map. */
function gapBefore(text: string, map: YAMLMap): string {
  const [before, last] = map.items.slice(-2);
  const key = last?.key ?? before?.key;
  if (!isNode(key)) return ' ';
  const from = last && before ? pairEnd(text, before) : (map.range?.[0] ?? 0);
  const gap = text.slice(from, startOf(key)).replace(/^[{,]/, '');
  return gap !== '' && gap.trim() === '' ? gap : ' ';
}

function removePair(text: string, map: YAMLMap, pair: Pair): Change[] | undefined {
  const index = map.items.indexOf(pair);
  const next = map.items[index + 1];
  const from = isNode(pair.key) ? startOf(pair.key) : 0;
  if (isFlow(map)) {
    const before = map.items[index - 1];
    if (isNode(next?.key)) return [{ from, to: startOf(next.key), insert: '' }];
    if (before) return [{ from: pairEnd(text, before), to: pairEnd(text, pair), insert: '' }];
    return [{ from, to: pairEnd(text, pair), insert: '' }];
  }
  const start = lineStart(text, from);
  const end = nextLine(text, pairEnd(text, pair));
  if (text.slice(start, from).trim() === '') {
    // Without a line end, the one before is removed.
    const before = end === text.length && !text.endsWith('\n') ? Math.max(lineStop(text, start - 1), 0) : start;
    return [{ from: before, to: end, insert: '' }];
  }
  // The pair is beside the dash of its item.
  if (!isNode(next?.key) || text.slice(end, startOf(next.key)).trim() !== '') return undefined;
  return [{ from, to: startOf(next.key), insert: '' }];
}

export function styleOf(text: string, map: YAMLMap): Style {
  const flow = isFlow(map);
  const key = map.items[0]?.key;
  const json = flow && isJson(text, key);
  return { column: flow ? 0 : mapColumn(text, map), flow, json };
}

/** Whether keys are quoted as in JSON. An empty map follows the document. */
function isJson(text: string, key: unknown): boolean {
  if (isScalar(key)) return key.type === 'QUOTE_DOUBLE';
  return text.trimStart().startsWith('{');
}

function isBlockCollection(node: Node): boolean {
  return !isScalar(node) && 'items' in node && !isFlow(node);
}

function isFilledMap(node: unknown): node is YAMLMap {
  return isMap(node) && node.items.length > 0;
}

function isPath(path: string[]): path is Path {
  return path.length > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value below further keys. */
function nested(path: string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function inText(text: string, change: Change): Change {
  return { ...change, insert: withLineEnds(change.insert, lineEnd(text)) };
}
