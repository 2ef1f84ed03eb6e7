// What a component threw or logged, in words.
import { isRecord } from './prop';

export type Said = { tone: 'error' | 'warn' | 'log'; text: string; stack?: string | undefined };

/** The `errors` of an answer: each is an object in JSON text, or just text. */
export function thrown(errors: readonly string[]): string {
  const words = errors.map((error) => {
    try {
      return named(JSON.parse(error)) ?? error;
    } catch {
      return error;
    }
  });
  return words.join('; ') || 'The component failed without saying why.';
}

/** What a hook said before it failed, in order, and how it failed. */
export function said(observations: readonly unknown[]): { hook: string | undefined; lines: Said[] } {
  let hook: string | undefined;
  const lines: Said[] = [];
  for (const row of observations) {
    if (!isRecord(row)) continue;
    if (row.k === 'hook' && typeof row.h === 'string') hook = row.h;
    else if (row.k === 'error') lines.push(failure(row.err));
    else if (typeof row.msg === 'string') lines.push({ tone: tone(row.level), text: row.msg });
  }
  return { hook, lines };
}

function failure(err: unknown): Said {
  const stack = isRecord(err) && typeof err.stack === 'string' ? err.stack : undefined;
  return { tone: 'error', text: named(err) ?? 'It failed without saying why.', stack };
}

function named(error: unknown): string | undefined {
  if (!isRecord(error) || typeof error.message !== 'string') return undefined;
  const { name, message } = error;
  return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : message;
}

function tone(level: unknown): Said['tone'] {
  if (level === 'error') return 'error';
  return level === 'warn' ? 'warn' : 'log';
}
