// The nodes of a parsed document with their positions.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { lineStart, trimmedEnd } from './text';

export type ItemNode = {
  /** The text that the positions of nodes refer to: the item alone, or the whole document. */
  text: string;
  doc: Document;
  node: Node | null;
  /** Plain JSON. */
  value: unknown;
};

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** The end of a value without comments after it. A block scalar ends with its last line that is not empty. */
export function endOf(text: string, node: Node): number {
  const [start, end] = node.range ?? [0, 0];
  if (isScalar(node)) return isBlockScalar(node) ? trimmedEnd(text, start, end) : end;
  if (isAlias(node) || isFlow(node)) return end;
  if (isMap(node)) return Math.max(start, ...node.items.slice(-1).map((pair) => pairEnd(text, pair)));
  if (isSeq(node))
    return Math.max(start, ...node.items.slice(-1).map((item) => (isNode(item) ? endOf(text, item) : start)));
  return end;
}

/** The end of a pair: of its value, or of its colon. */
export function pairEnd(text: string, pair: Pair): number {
  if (isNode(pair.value) && !isAbsent(pair.value)) return endOf(text, pair.value);
  return colonEnd(text, pair);
}

/** The position after the colon of a pair. */
export function colonEnd(text: string, pair: Pair): number {
  const keyEnd = isNode(pair.key) ? (pair.key.range?.[1] ?? 0) : 0;
  const colon = text.indexOf(':', keyEnd);
  return colon < 0 ? keyEnd : colon + 1;
}

/** Whether a value is left out, as in `props:`. */
export function isAbsent(node: Node): boolean {
  return isScalar(node) && node.value === null && node.range?.[0] === node.range?.[1];
}

export function isFlow(node: Node): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

export function isBlockScalar(node: unknown): boolean {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
}

export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === key);
}

/** The value of a key; undefined if the node is no map or has no such key. */
export function valueAt(node: unknown, key: string): Node | undefined {
  const value = isMap(node) ? pairOf(node, key)?.value : undefined;
  return isNode(value) ? value : undefined;
}

/** The text of a scalar; empty for other nodes. */
export function scalarText(node: unknown): string {
  return isScalar(node) && node.value !== null && node.value !== undefined ? String(node.value) : '';
}

/** The column of the keys of a block map. */
export function mapColumn(text: string, map: YAMLMap): number {
  const key = map.items[0]?.key;
  const at = isNode(key) ? startOf(key) : startOf(map);
  return at - lineStart(text, at);
}
