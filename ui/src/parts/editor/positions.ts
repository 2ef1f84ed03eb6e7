// Lines and columns as ranges of a text. Both count from 1; columns count UTF-16 units, as the editor does.
import type { Text } from '@codemirror/state';

export type Place = { line: number; column?: number | null | undefined };
export type Range = { from: number; to: number };

/** From a place to the end of its line. A place outside the text is moved to the nearest one inside. */
export function restOfLine(doc: Text, { line, column }: Place): Range {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(at.from + Math.max((column ?? 1) - 1, 0), at.to);
  return { from, to: at.to };
}

/** The word at a place, else one character. Empty at the end of a line. */
export function wordAt(doc: Text, place: Place): Range {
  const { from, to } = restOfLine(doc, place);
  const word = /^[\w$]+/.exec(doc.sliceString(from, to))?.[0].length ?? 1;
  return { from, to: Math.min(from + word, to) };
}
