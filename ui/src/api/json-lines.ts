// Parsing of JSON lines that arrive in pieces.

/** A function that takes the next piece of the text, and returns the values of its complete lines. Empty lines are heartbeats. */
export function jsonLines<T>(): (piece: string) => T[] {
  let rest = '';
  return (piece) => {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
  };
}
