// Text positions, lines and changes.

/** A replacement of a part of a text. */
export type Change = { from: number; to: number; insert: string };

/** Applies changes. Their positions are those of the text before, and they do not overlap. */
export function applyChanges(text: string, changes: Change[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, insert } of inOrder(changes)) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

export function inOrder(changes: Change[]): Change[] {
  return changes.toSorted((a, b) => a.from - b.from || a.to - b.to);
}

/** The line end of a text: that of its first line. */
export function lineEnd(text: string): string {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The start of the line at a position. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The start of the line after a position, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found + 1;
}

/** The end of the line at a position, without its line end. */
export function lineStop(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  if (found < 0) return text.length;
  return found > at && text[found - 1] === '\r' ? found - 1 : found;
}

/** The column of a position, counted from 0. */
export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** The end of the text before trailing whitespace, at least `from`. */
export function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

/** Converts the line ends of generated text. */
export function withLineEnds(text: string, end: string): string {
  return end === '\n' ? text : text.replaceAll('\n', end);
}

/** Whether two JSON values are equal. The order of fields does not matter. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ours, theirs] = [Object.keys(a), Object.keys(b)];
  if (ours.length !== theirs.length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return ours.every((key) => key in right && equal(left[key], right[key]));
}
