// One source: how it is read and what can be done with it. Its tabs share what is known of it.
import { api, body, data, isMissing } from '../../api/client';
import { queries } from '../../api/queries';
import type { Source, SourceChanges } from '../../api/types';

const FRESH_MS = 60_000;

export const sourceKey = (id: string) => ['source', id] as const;

/** What `createQuery` needs to show a source. */
export function sourceOptions(id: string) {
  return {
    queryKey: sourceKey(id),
    queryFn: () => data(api.GET('/v1/sources/{id}', { params: { path: { id }, query: { expand: 'activity' } } })),
    refetchInterval: FRESH_MS,
  };
}

/** What `createQuery` needs to show the component that a source runs. */
export function componentOptions(id: string) {
  return {
    queryKey: ['component', id],
    queryFn: () => data(api.GET('/v1/components/{key_or_id}', { params: { path: { key_or_id: id } } })),
    // What is saved under an id never changes.
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The source as it is at this moment: what somebody else saved meanwhile must not be overwritten unseen. */
export function look(id: string): Promise<Source> {
  return queries.fetchQuery({ ...sourceOptions(id), staleTime: 0, retry: false });
}

/** Sends only what changed. `active` goes along as it is, because leaving it out would switch the source on. */
export async function change({ id, active }: Source, changes: Partial<SourceChanges>): Promise<Source> {
  const body = { active, ...changes };
  const changed = await noticing(id, data(api.PUT('/v1/sources/{id}', { params: { path: { id } }, body })));
  queries.setQueryData<Source>(sourceKey(id), (known) => ({ ...known, ...changed }));
  refresh(id);
  void queries.invalidateQueries({ queryKey: ['sources'] });
  return changed;
}

export async function remove({ id }: Source, ignoreHookErrors: boolean) {
  const query = { ignore_hook_errors: ignoreHookErrors };
  await noticing(id, body(api.DELETE('/v1/sources/{id}', { params: { path: { id }, query } })));
  queries.removeQueries({ queryKey: sourceKey(id) });
  void queries.invalidateQueries({ queryKey: ['sources'] });
}

/** Runs it now; without an event it gets an empty object. */
export function run({ id }: Source, event?: unknown) {
  const asked = event === undefined ? {} : { event };
  return noticing(id, data(api.POST('/v1/sources/{id}/run', { params: { path: { id } }, body: asked })));
}

/** Asks the server again, for all tabs. */
export function refresh(id: string) {
  void queries.invalidateQueries({ queryKey: sourceKey(id) });
}

/** A source that was deleted elsewhere is noticed when something is asked of it. */
async function noticing<T>(id: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) refresh(id);
    throw error;
  }
}
