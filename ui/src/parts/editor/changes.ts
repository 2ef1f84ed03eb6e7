// Line ends and differences of texts.
import type { TextChange } from './editing';

/** The line end of a text, if all of its lines have the same. */
export function lineEndOf(text: string): string {
  const all = text.match(/\r?\n/g) ?? [];
  return all.length > 0 && all.every((end) => end === '\r\n') ? '\r\n' : '\n';
}

/** The text with the line ends of the editor. */
export function unified(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** A position of a text in its unified form. */
export function offsetIn(text: string, at: number): number {
  return unified(text.slice(0, at)).length;
}

/** The part in which two texts differ; undefined if they are equal. */
export function difference(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
