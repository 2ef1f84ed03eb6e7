// The app of a component. The API does not name it, so it is derived: the app of the first app prop, else the prefix of the key.

import { listedAppOptions } from '../api/apps';
import { api, body, data } from '../api/client';
import { fetchAllPages, LARGEST_PAGE } from '../api/pages';
import { queries } from '../api/queries';
import type { Component } from '../api/types';
import { propsOf } from '../forms/prop';
import type { AppLook } from '../parts/app-icon';

const MAX_SOURCES = 500;
const STALE_MS = 5 * 60_000;

export function appSlug(component: Pick<Component, 'key' | 'configurable_props'>): string | undefined {
  const declared = propsOf(component.configurable_props).find((prop) => prop.type === 'app')?.app;
  return declared ?? (component.key?.split('-')[0] || undefined);
}

/** Query options of the app of a saved component; null if it has none. Components of other users in a workflow cannot be read: an account of the step tells its app. */
export function componentAppOptions(id: string, account: string | undefined) {
  return {
    queryKey: ['component-app', id, account],
    queryFn: async (): Promise<AppLook | null> => {
      if (account) return appOfAccount(account);
      const params = { path: { key_or_id: id }, query: { include: 'key,configurable_props' } };
      const slug = appSlug(await data(api.GET('/v1/components/{key_or_id}', { params })));
      return slug ? queries.fetchQuery(listedAppOptions(slug)) : null;
    },
    // Components are immutable.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  };
}

async function appOfAccount(id: string): Promise<AppLook> {
  const params = { path: { id }, query: { include: 'app' } };
  return (await data(api.GET('/v1/accounts/{id}', { params }))).app;
}

/** Query options of the component ids of the newest sources, by source id. */
export function sourceComponentsOptions() {
  return {
    queryKey: ['sources', 'components'],
    queryFn: async (): Promise<Map<string, string>> => {
      const page = (after: string | undefined) => {
        const query = { limit: LARGEST_PAGE, after, include: 'id,component_id' };
        return body(api.GET('/v1/users/me/sources', { params: { query } }));
      };
      const { items } = await fetchAllPages(page, MAX_SOURCES);
      return new Map(items.map(({ id, component_id }) => [id, component_id]));
    },
    staleTime: STALE_MS,
  };
}
