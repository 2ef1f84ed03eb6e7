// Queries and actions of one source. Its tabs share the cache.
import { api, body, data } from '../../api/client';
import { isMissing } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Source, SourceChanges } from '../../api/types';

const REFETCH_MS = 60_000;

export const sourceKey = (id: string) => ['source', id] as const;

/** Query options of a source. */
export function sourceOptions(id: string) {
  return {
    queryKey: sourceKey(id),
    queryFn: () => data(api.GET('/v1/sources/{id}', { params: { path: { id }, query: { expand: 'activity' } } })),
    refetchInterval: REFETCH_MS,
  };
}

/** Query options of a component. */
export function componentOptions(id: string) {
  return {
    queryKey: ['component', id],
    queryFn: () => data(api.GET('/v1/components/{key_or_id}', { params: { path: { key_or_id: id } } })),
    // Components are immutable.
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The current source, not from the cache. Used to detect changes made elsewhere before saving. */
export function fetchSource(id: string): Promise<Source> {
  return queries.fetchQuery({ ...sourceOptions(id), staleTime: 0, retry: false });
}

/** Sends only the changes, and `active`: without it, the API would activate the source. */
export async function change({ id, active }: Source, changes: Partial<SourceChanges>): Promise<Source> {
  const body = { active, ...changes };
  const changed = await refreshIfMissing(id, data(api.PUT('/v1/sources/{id}', { params: { path: { id } }, body })));
  queries.setQueryData<Source>(sourceKey(id), (known) => ({ ...known, ...changed }));
  refresh(id);
  void queries.invalidateQueries({ queryKey: ['sources'] });
  return changed;
}

export async function remove({ id }: Source, ignoreHookErrors: boolean) {
  const query = { ignore_hook_errors: ignoreHookErrors };
  await refreshIfMissing(id, body(api.DELETE('/v1/sources/{id}', { params: { path: { id }, query } })));
  queries.removeQueries({ queryKey: sourceKey(id) });
  void queries.invalidateQueries({ queryKey: ['sources'] });
}

/** Runs the source now. Without an event it gets an empty object. */
export function run({ id }: Source, event?: unknown) {
  const body = event === undefined ? {} : { event };
  return refreshIfMissing(id, data(api.POST('/v1/sources/{id}/run', { params: { path: { id } }, body })));
}

/** Refetches the source for all tabs. */
export function refresh(id: string) {
  void queries.invalidateQueries({ queryKey: sourceKey(id) });
}

/** Refetches a source that turns out to be deleted, so that its page shows it. */
async function refreshIfMissing<T>(id: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (isMissing(error)) refresh(id);
    throw error;
  }
}
