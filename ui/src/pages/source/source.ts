// One source: how it is read and what can be done with it. Its tabs share what is known of it.
import { api, body, data } from '../../api/client';
import { queries } from '../../api/queries';
import type { Source, SourceChanges } from '../../api/types';
import { grown } from '../../parts/activity';

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

/** Sends only what changed. `active` goes along as it is, because leaving it out would switch the source on. */
export async function change({ id, active }: Source, changes: Partial<SourceChanges>): Promise<Source> {
  const body = { active, ...changes };
  const changed = await data(api.PUT('/v1/sources/{id}', { params: { path: { id } }, body }));
  queries.setQueryData<Source>(sourceKey(id), (known) => ({ ...known, ...changed }));
  void queries.invalidateQueries({ queryKey: sourceKey(id) });
  void queries.invalidateQueries({ queryKey: ['sources'] });
  return changed;
}

export async function remove({ id }: Source, ignoreHookErrors: boolean) {
  const query = { ignore_hook_errors: ignoreHookErrors };
  await body(api.DELETE('/v1/sources/{id}', { params: { path: { id }, query } }));
  queries.removeQueries({ queryKey: sourceKey(id) });
  void queries.invalidateQueries({ queryKey: ['sources'] });
}

/** Runs it now; without an event it gets an empty object. */
export function run({ id }: Source, event?: unknown) {
  const asked = event === undefined ? {} : { event };
  return data(api.POST('/v1/sources/{id}/run', { params: { path: { id } }, body: asked }));
}

/** Counts events that were seen live, until the server is asked again. */
export function countSeen(id: string, events: number) {
  const now = Date.now();
  const known = queries.getQueryState(sourceKey(id))?.dataUpdatedAt ?? now;
  queries.setQueryData<Source>(sourceKey(id), (source) => {
    if (!source?.activity) return source;
    return { ...source, activity: grown(source.activity, { events, errors: 0, invocations: 0 }, now, known) };
  });
}
