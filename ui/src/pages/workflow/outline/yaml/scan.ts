// Finds the items of the steps by their lines, so that an edit parses only the changed step.
// The reader checks the result and parses the whole document if it does not fit.
import { nextLine } from './text';

export type Scan = {
  /** The lines of all items. */
  from: number;
  to: number;
  /** The column of the dashes. */
  column: number;
  /** The lines of each item, with the comments and empty lines after it. */
  chunks: { from: number; to: number }[];
};

/** Directives and document markers concern the whole text. */
const MARKERS = /^(?:---|\.\.\.|%)/m;

export function scanSteps(text: string): Scan | undefined {
  if (MARKERS.test(text)) return undefined;
  const heads = [...text.matchAll(/^steps:[ \t]*(?:#.*)?\r?$/gm)];
  const head = heads[0];
  if (!head || heads.length > 1) return undefined;
  const from = nextLine(text, head.index);
  const dashes: number[] = [];
  let column = -1;
  let at = from;
  while (at < text.length) {
    const next = nextLine(text, at);
    const line = text.slice(at, next);
    const indent = line.search(/\S/);
    if (indent >= 0 && line[indent] !== '#') {
      const isDash = /^-(?:\s|$)/.test(line.slice(indent));
      if (column < 0) {
        if (!isDash) return undefined;
        column = indent;
      }
      if (indent < column || (indent === column && !isDash)) break;
      if (indent === column) dashes.push(at);
    }
    at = next;
  }
  const chunks = dashes.map((start, index) => ({ from: index === 0 ? from : start, to: dashes[index + 1] ?? at }));
  return chunks.length > 0 ? { from, to: at, column, chunks } : undefined;
}
