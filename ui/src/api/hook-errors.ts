// Errors thrown by the hooks of a component.
import { ApiError } from './errors';

type Observation = { k?: unknown; err?: { name?: unknown; message?: unknown } };

/** The error that a hook threw; undefined for any other API error. */
export function hookError(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || !error.body?.observations) return undefined;
  const thrown = (error.body.observations as Observation[]).find(({ k }) => k === 'error')?.err;
  return thrown ? `${String(thrown.name)}: ${String(thrown.message)}` : undefined;
}

/** The message of an error, including the error that a hook threw. */
export function errorText(error: unknown): string {
  const thrown = hookError(error);
  if (thrown) return `Component hook failed: ${thrown}`;
  return error instanceof Error ? error.message : String(error);
}
