// The text that belongs to each item of a list, and the text between items, which keeps its place when items move.
import { isMap, isNode, isScalar, isSeq, type YAMLSeq } from 'yaml';
import { endOf, type ItemNode, isBlockScalar, startOf } from './nodes';
import { lineStart, nextLine } from './text';

/** The ranges of the items in the document. Those of a block list are whole lines. */
export type Units = { from: number[]; to: number[] };

type Placed = { item: ItemNode; offset: number };

/** An item has its lines, the comments directly above it, and the indented comments below it. */
export function blockUnits(
  text: string,
  items: Placed[],
  start: number,
  stop: number | undefined,
  column: number,
): Units {
  const units: Units = { from: [], to: [] };
  let free = start;
  items.forEach(({ item, offset }, index) => {
    const dash = dashLine(text, item, offset, free, column);
    const from = Math.max(free, withCommentsAbove(text, dash, free));
    const end = itemEnd(item, offset, dash);
    const to = withCommentsBelow(text, nextLine(text, Math.max(end, dash)), stop ?? text.length, column);
    units.from[index] = from;
    units.to[index] = to;
    free = to;
  });
  return units;
}

/** The start of the line with the dash of an item. */
function dashLine(text: string, item: ItemNode, offset: number, free: number, column: number): number {
  const at = item.node?.range ? startOf(item.node) + offset : free;
  let line = lineStart(text, at);
  // The content may begin below its dash. Anchors and tags are beside the dash.
  while (line > free && text[line + column] !== '-') line = lineStart(text, line - 1);
  if (text[line + column] === '-') return line;
  line = free;
  while (line < text.length && text[line + column] !== '-') line = nextLine(text, line);
  return line;
}

function itemEnd({ node, text }: ItemNode, offset: number, dash: number): number {
  if (!node?.range) return dash;
  const kept = keptEnd(node);
  return (kept === undefined ? endOf(text, node) : kept - 1) + offset;
}

/** The end of a last block scalar that keeps the empty lines after it (`|+`). */
function keptEnd(node: unknown): number | undefined {
  if (isMap(node)) return keptEnd(node.items.at(-1)?.value);
  if (isSeq(node)) return keptEnd(node.items.at(-1));
  const keeps = isScalar(node) && isBlockScalar(node) && String(node.value).endsWith('\n\n');
  return keeps ? node.range?.[1] : undefined;
}

function withCommentsAbove(text: string, dash: number, free: number): number {
  let from = dash;
  while (from > free) {
    const above = lineStart(text, from - 1);
    if (above < free || !/^[ \t]*#/.test(text.slice(above, from))) break;
    from = above;
  }
  return from;
}

/** Comments that are indented more than the dash belong to the item above, with the empty lines before them. */
function withCommentsBelow(text: string, from: number, stop: number, column: number): number {
  let to = from;
  let at = from;
  while (at < stop) {
    const next = nextLine(text, at);
    const line = text.slice(at, next);
    const indent = line.search(/\S/);
    if (indent >= 0) {
      if (line[indent] !== '#' || indent <= column) break;
      to = next;
    }
    at = next;
  }
  return to;
}

export function flowUnits(text: string, seq: YAMLSeq): Units {
  const nodes = seq.items.filter(isNode);
  return { from: nodes.map(startOf), to: nodes.map((node) => endOf(text, node)) };
}
