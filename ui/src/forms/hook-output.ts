// Errors and log output of component hooks.
import { isRecord } from './prop';

export type OutputLine = { tone: 'error' | 'warn' | 'log'; text: string; stack?: string | undefined };

/** The `errors` of a response as text. Each is a JSON object or plain text. */
export function thrownErrors(errors: readonly string[]): string {
  const messages = errors.map((error) => {
    try {
      return named(JSON.parse(error)) ?? error;
    } catch {
      return error;
    }
  });
  return messages.join('; ') || 'The component failed without an error message.';
}

/** The log lines of a failed hook and its error, in order. */
export function hookOutput(observations: readonly unknown[]): { hook: string | undefined; lines: OutputLine[] } {
  let hook: string | undefined;
  const lines: OutputLine[] = [];
  for (const row of observations) {
    if (!isRecord(row)) continue;
    if (row.k === 'hook' && typeof row.h === 'string') hook = row.h;
    else if (row.k === 'error') lines.push(errorLine(row.err));
    else if (typeof row.msg === 'string') lines.push({ tone: tone(row.level), text: row.msg });
  }
  return { hook, lines };
}

function errorLine(err: unknown): OutputLine {
  const stack = isRecord(err) && typeof err.stack === 'string' ? err.stack : undefined;
  return { tone: 'error', text: named(err) ?? 'The hook failed without an error message.', stack };
}

function named(error: unknown): string | undefined {
  if (!isRecord(error) || typeof error.message !== 'string') return undefined;
  const { name, message } = error;
  return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : message;
}

function tone(level: unknown): OutputLine['tone'] {
  if (level === 'error') return 'error';
  return level === 'warn' ? 'warn' : 'log';
}
