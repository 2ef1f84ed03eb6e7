// Why a hook of a component failed, in the component's own words.
import { ApiFailure } from './client';

type Observation = { k?: unknown; err?: { name?: unknown; message?: unknown } };

/** What a hook threw, when that is why the server refused. */
export function thrownByHook(error: unknown): string | undefined {
  if (!(error instanceof ApiFailure) || !error.body?.observations) return undefined;
  const thrown = (error.body.observations as Observation[]).find(({ k }) => k === 'error')?.err;
  return thrown ? `${String(thrown.name)}: ${String(thrown.message)}` : undefined;
}

/** A failure in words, with what a hook threw. */
export function explained(error: unknown): string {
  const thrown = thrownByHook(error);
  if (thrown) return `A hook of the component failed: ${thrown}`;
  return error instanceof Error ? error.message : String(error);
}
