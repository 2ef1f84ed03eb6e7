// Parses parts of a run that the API types only as JSON. Invalid parts are dropped.
import type { WholeWorkflowVersion } from '../../../api/types';
import { accountIn } from '../../../forms/prop';

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

/** `account` is the first account in its props. */
export type DefinedStep = { name: string; component: string; account: string | undefined };

/** The steps of a version, in order. */
export function definedSteps(version: WholeWorkflowVersion): DefinedStep[] {
  const { steps } = version.definition as { steps?: unknown };
  if (!Array.isArray(steps)) return [];
  return steps.filter(isRecord).map(({ name, component_id, props }) => ({
    name: text(name),
    component: text(component_id),
    account: isRecord(props) ? accountIn(props) : undefined,
  }));
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
