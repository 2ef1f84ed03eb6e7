// Log lines put together by the invocation that wrote them.
import type { LogLine } from '../../../api/types';

export type Invocation = {
  key: string;
  /** None for what the server says of the source itself. */
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

/** Which lines are of a level or above it, and have a text in them. */
export function matching(level: Level | undefined, q: string): (line: LogLine) => boolean {
  const least = level ? (ranks[level] ?? 0) : 0;
  const text = q.toLowerCase();
  return (line) => (ranks[line.level] ?? 1) >= least && line.msg.toLowerCase().includes(text);
}

/** Lines come newest first; so do the invocations, by when they began. Lines without one stand together while nothing comes between. */
export function byInvocation(lines: LogLine[]): Invocation[] {
  const found = new Map<string, Invocation>();
  let stray = '';
  for (const line of lines) {
    if (!line.invocation_id) stray ||= `stray ${line.id}`;
    const key = line.invocation_id ?? stray;
    if (line.invocation_id) stray = '';
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

/** The lines that are wanted, each invocation with what is known of all of it. */
export function itemsOf(invocations: Invocation[], wanted: (line: LogLine) => boolean): Item[] {
  return invocations.flatMap((of): Item[] => {
    const lines = of.lines.filter(wanted).map((line): Item => ({ kind: 'line', key: line.id, line, start: of.start }));
    return lines.length === 0 ? [] : [{ kind: 'invocation', key: of.key, of, shown: lines.length }, ...lines];
  });
}

export function textOf({ lines }: Invocation): string {
  return lines.map((line) => `${new Date(line.ts).toISOString()} ${line.level} ${line.msg}`).join('\n');
}
