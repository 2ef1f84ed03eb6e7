// Line diff of two texts.

export type DiffLine = { sign: ' ' | '-' | '+'; text: string; before: number | undefined; after: number | undefined };
export type DiffPart = { kind: 'lines'; lines: DiffLine[] } | { kind: 'same'; count: number };

/** Above this limit the differing middle is shown as replaced, which is correct and fast. */
const MAX_COMPARISONS = 4_000_000;
const CONTEXT = 3;

export function difference(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (text: string) => ({ sign: ' ' as const, text });
  const all = [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
  return numbered(all);
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

type Signed = Pick<DiffLine, 'sign' | 'text'>;

/** Compares by the longest common subsequence. */
function compare(a: string[], b: string[]): Signed[] {
  const removed = (text: string): Signed => ({ sign: '-', text });
  const added = (text: string): Signed => ({ sign: '+', text });
  if (a.length * b.length > MAX_COMPARISONS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Signed[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}

function numbered(lines: Signed[]): DiffLine[] {
  let [before, after] = [0, 0];
  return lines.map(({ sign, text }) => {
    if (sign !== '+') before += 1;
    if (sign !== '-') after += 1;
    return { sign, text, before: sign === '+' ? undefined : before, after: sign === '-' ? undefined : after };
  });
}

/** Collapses unchanged lines, except a few around each change. */
export function folded(lines: DiffLine[]): DiffPart[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  const parts: DiffPart[] = [];
  for (const [index, line] of lines.entries()) {
    const last = parts.at(-1);
    if (near[index]) {
      if (last?.kind === 'lines') last.lines.push(line);
      else parts.push({ kind: 'lines', lines: [line] });
    } else if (last?.kind === 'same') last.count += 1;
    else parts.push({ kind: 'same', count: 1 });
  }
  return parts;
}
