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
  | { kind: 'invocation'; key: string; of: Invocation }
  | { kind: 'line'; key: string; line: LogLine; start: number };

export type Level = 'warn' | 'error';

/** Terms that leave lines of this level and above. */
const TERMS: Record<Level, string> = { warn: '-level:debug -level:info', error: 'level:error' };

export function levelOf(text: string | undefined): Level | undefined {
  return text === 'error' || text === 'warn' ? text : undefined;
}

/** A query for lines of a level and above. */
export function withLevel(q: string, level: Level | undefined): string {
  return level ? `${TERMS[level]} ${q}`.trim() : q;
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

/** Lines under their invocations. */
export function itemsOf(invocations: Invocation[]): Item[] {
  return invocations.flatMap((of): Item[] => [
    { kind: 'invocation', key: of.key, of },
    ...of.lines.map((line): Item => ({ kind: 'line', key: line.id, line, start: of.start })),
  ]);
}

export function textOf({ lines }: Invocation): string {
  return lines.map((line) => `${new Date(line.ts).toISOString()} ${line.level} ${line.msg}`).join('\n');
}
