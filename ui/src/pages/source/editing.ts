// Changing what a source runs, and what it runs with.
import { api, data } from '../../api/client';
import { queries } from '../../api/queries';
import type { Source, SourceChanges } from '../../api/types';
import { sourceKey } from './source';

export function componentOptions(id: string) {
  return {
    queryKey: ['component-code', id],
    queryFn: () => data(api.GET('/v1/components/{key_or_id}', { params: { path: { key_or_id: id } } })),
    // What is saved under an id never changes.
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** Sends only what changed. `active` goes along as it is, because leaving it out would switch the source on. */
export async function change(source: Source, changes: Omit<SourceChanges, 'active'>): Promise<Source> {
  const body = { ...changes, active: source.active };
  const changed = await data(api.PUT('/v1/sources/{id}', { params: { path: { id: source.id } }, body }));
  queries.setQueryData<Source>(sourceKey(source.id), (known) => ({ ...known, ...changed }));
  void queries.invalidateQueries({ queryKey: sourceKey(source.id) });
  void queries.invalidateQueries({ queryKey: ['sources'] });
  return changed;
}
