// The expressions in the text of a prop, `{{ … }}`, and their value.
import { evaluate, parsed, Unknown } from './evaluate';

/** Text, or the source of an expression. */
export type Part = string | { source: string };

const OPEN = '{{';
const CLOSE = '}}';

/** The parts of a text; undefined while an expression has no end. */
export function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf(OPEN, at);
    if (open < 0) break;
    const close = closing(text, open + OPEN.length);
    if (close === undefined) return undefined;
    if (open > at) parts.push(text.slice(at, open));
    parts.push({ source: text.slice(open + OPEN.length, close).trim() });
    at = close + CLOSE.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** Strings and objects of an expression may have braces. So it ends where it is complete, else at the first ones. */
function closing(text: string, from: number): number | undefined {
  const first = text.indexOf(CLOSE, from);
  for (let end = first; end >= 0; end = text.indexOf(CLOSE, end + 1)) {
    if (parsed(text.slice(from, end))) return end;
  }
  return first < 0 ? undefined : first;
}

export type Result = { kind: 'value'; value: unknown } | { kind: 'error' | 'unknown'; message: string };

/** What a text with expressions becomes with these names. */
export function resultOf(text: string, names: Record<string, unknown>): Result {
  const parts = partsOf(text);
  if (!parts) return { kind: 'unknown', message: 'The expression has no end: }} is missing' };
  try {
    const [only] = parts;
    if (parts.length === 1 && typeof only === 'object') return { kind: 'value', value: evaluate(only.source, names) };
    const texts = parts.map((part) => (typeof part === 'string' ? part : inText(evaluate(part.source, names))));
    return { kind: 'value', value: texts.join('') };
  } catch (error) {
    const message = error instanceof Unknown || error instanceof Error ? error.message : String(error);
    return { kind: error instanceof Unknown ? 'unknown' : 'error', message };
  }
}

function inText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}
