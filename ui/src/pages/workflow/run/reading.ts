// Parses parts of a run that the API types only as JSON. Invalid parts are dropped.
import type { WholeWorkflowVersion } from '../../../api/types';

export type RunError = { step: string | undefined; code: string; message: string; stack: string };
export type LogEntry = { ts: number; level: string; message: string };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readError(value: unknown): RunError | undefined {
  if (!isRecord(value)) return undefined;
  const { step, code, message, stack } = value;
  return { step: text(step) || undefined, code: text(code), message: text(message), stack: text(stack) };
}

export function readLogs(value: unknown): LogEntry[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isRecord)
    .map(({ ts, level, message }) => ({ ts: Number(ts) || 0, level: text(level), message: text(message) }));
}

/** The names of the declared secrets. Their values never leave the server. */
export function secretNames(version: WholeWorkflowVersion): string[] {
  const { env } = version.definition as { env?: unknown };
  return isRecord(env) ? Object.keys(env).filter((name) => env[name] === 'secret') : [];
}

export function exportsOf(value: unknown): { summary: string; count: number } {
  if (!isRecord(value)) return { summary: '', count: 0 };
  return { summary: text(value.$summary), count: Object.keys(value).length };
}
