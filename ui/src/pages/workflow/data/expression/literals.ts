// The values of literals in JavaScript.

const SIMPLE: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' };
const ESCAPE = /\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[\s\S]))/g;

/** A text with escapes, as it is between quotes. */
export function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, point?: string, unit?: string, byte?: string, other = '') => {
    const code = point ?? unit ?? byte;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (/[\r\n\u2028\u2029]/.test(other)) return '';
    return SIMPLE[other] ?? other;
  });
}

/** NaN for a number that is not supported, such as a BigInt. */
export function numberOf(text: string): number {
  return Number(text.replaceAll('_', ''));
}
