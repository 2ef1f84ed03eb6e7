// Log lines grouped by invocation.
import type { LogLine } from '../../../api/types';

export type Invocation = {
  key: string;
  /** Undefined for lines that the server logs outside an invocation. */
  id: string | undefined;
  /** Oldest first. */
  lines: LogLine[];
  start: number;
  end: number;
  errors: number;
};

export type Item =
  | { kind: 'invocation'; key: string; of: Invocation; shown: number }
  | { kind: 'line'; key: string; line: LogLine; start: number };

export type Level = 'warn' | 'error';

const ranks: Record<string, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A filter by minimum level and text. */
export function matching(level: Level | undefined, q: string): (line: LogLine) => boolean {
  const minRank = level ? (ranks[level] ?? 0) : 0;
  const text = q.toLowerCase();
  return (line) => (ranks[line.level] ?? 1) >= minRank && line.msg.toLowerCase().includes(text);
}

/** Groups lines by invocation, newest first. Consecutive lines without an invocation form one group. */
export function byInvocation(lines: LogLine[]): Invocation[] {
  const found = new Map<string, Invocation>();
  let groupKey = '';
  for (const line of lines) {
    if (!line.invocation_id) groupKey ||= `groupKey ${line.id}`;
    const key = line.invocation_id ?? groupKey;
    if (line.invocation_id) groupKey = '';
    const known = found.get(key);
    const of = known ?? {
      key,
      id: line.invocation_id ?? undefined,
      lines: [],
      start: line.ts,
      end: line.ts,
      errors: 0,
    };
    of.lines.unshift(line);
    of.start = Math.min(of.start, line.ts);
    of.end = Math.max(of.end, line.ts);
    if (line.level === 'error') of.errors += 1;
    if (!known) found.set(key, of);
  }
  return [...found.values()].sort((a, b) => firstOf(b) - firstOf(a));
}

function firstOf({ lines }: Invocation): number {
  return Number(lines[0]?.id ?? 0);
}

/** The matching lines under their invocations. */
export function itemsOf(invocations: Invocation[], matches: (line: LogLine) => boolean): Item[] {
  return invocations.flatMap((of): Item[] => {
    const lines = of.lines.filter(matches).map((line): Item => ({ kind: 'line', key: line.id, line, start: of.start }));
    return lines.length === 0 ? [] : [{ kind: 'invocation', key: of.key, of, shown: lines.length }, ...lines];
  });
}

export function textOf({ lines }: Invocation): string {
  return lines.map((line) => `${new Date(line.ts).toISOString()} ${line.level} ${line.msg}`).join('\n');
}
