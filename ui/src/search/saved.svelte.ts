// Saved filters: parameters of the address of a list, under a name.
import { api, data, responseError } from '../api/client';
import { queries } from '../api/queries';
import type { SavedFilter } from '../api/types';
import { param, setParams } from '../parts/address.svelte';
import { FIRST_PAGE } from '../parts/paging';

export type FilteredList = 'events' | 'runs' | 'logs';

/** The parameters that a filter of each list keeps. */
const PARAMETERS: Record<FilteredList, string[]> = {
  events: ['q', 'range', 'since', 'until', 'channel', 'columns'],
  runs: ['q', 'range', 'since', 'until', 'state'],
  logs: ['q', 'range', 'since', 'until', 'level'],
};

const KEY = ['saved-filters'];

export function savedFilters() {
  return { queryKey: KEY, queryFn: () => data(api.GET('/v1/saved_filters')) };
}

/** The filter of the address. */
export function currentParameters(list: FilteredList): Record<string, string> {
  const given = PARAMETERS[list].map((name) => [name, param(name) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** Whether the address has this filter. */
export function isCurrent({ list, parameters }: SavedFilter): boolean {
  const current = currentParameters(list as FilteredList);
  return PARAMETERS[list as FilteredList].every((name) => (current[name] ?? '') === (parameters[name] ?? ''));
}

export function applyFilter({ list, parameters }: SavedFilter) {
  const changes = PARAMETERS[list as FilteredList].map((name) => [name, parameters[name] ?? ''] as const);
  setParams({ ...Object.fromEntries(changes), ...FIRST_PAGE, event: undefined });
}

const refresh = () => queries.invalidateQueries({ queryKey: KEY });

export async function saveFilter(list: FilteredList, name: string) {
  await data(api.POST('/v1/saved_filters', { body: { list, name, parameters: currentParameters(list) } }));
  await refresh();
}

export async function renameFilter({ id }: SavedFilter, name: string) {
  await data(api.PUT('/v1/saved_filters/{id}', { params: { path: { id } }, body: { name } }));
  await refresh();
}

/** Gives a filter the parameters of the address. */
export async function replaceFilter({ id, list }: SavedFilter) {
  const parameters = currentParameters(list as FilteredList);
  await data(api.PUT('/v1/saved_filters/{id}', { params: { path: { id } }, body: { parameters } }));
  await refresh();
}

export async function deleteFilter({ id }: SavedFilter) {
  const { response, error } = await api.DELETE('/v1/saved_filters/{id}', { params: { path: { id } } });
  if (!response.ok && response.status !== 404) throw responseError(response.status, error);
  await refresh();
}
