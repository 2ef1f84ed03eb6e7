// The components of the registry.
import { createInfiniteQuery, keepPreviousData } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import type { Component } from '../../api/types';
import { propsOf } from '../../forms/prop';

const PAGE = 50;
export type Scope = 'registry' | 'published';
export type ListedComponent = Omit<Component, 'code'>;
export type Group = { app: string; components: ListedComponent[] };

export type ComponentQuery = ReturnType<typeof search>;

/** A paginated query of components. */
export function search(scope: Scope, filter: () => { q: string; app: string }) {
  return createInfiniteQuery(() => {
    const { q, app } = filter();
    return {
      queryKey: ['components', scope, q, app],
      queryFn: ({ pageParam }: { pageParam: string | undefined }) => page(scope, q, app, pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (last: Page, pages: Page[]) => {
        const seen = pages.reduce((sum, one) => sum + one.data.length, 0);
        return seen < last.page_info.total_count ? (last.page_info.end_cursor ?? undefined) : undefined;
      },
      placeholderData: keepPreviousData,
    };
  });
}

/** The total count; undefined until it is loaded. */
export function totalOf({ data }: ComponentQuery): number | undefined {
  return data?.pages[0]?.page_info.total_count;
}

type Page = Awaited<ReturnType<typeof page>>;

function page(scope: Scope, q: string, app: string, after: string | undefined) {
  // The code is not needed and would be most of the response.
  const query = {
    scope,
    type: 'source',
    q: q || undefined,
    app: app || undefined,
    limit: PAGE,
    after,
    exclude: 'code,code_hash',
  };
  return body(api.GET('/v1/components', { params: { query } }));
}

/** Groups components by app: that of the first app prop, or the prefix of the key. */
export function byApp(components: ListedComponent[]): Group[] {
  const groups = new Map<string, ListedComponent[]>();
  for (const component of components) {
    const app = appOf(component);
    groups.set(app, [...(groups.get(app) ?? []), component]);
  }
  return [...groups].map(([app, members]) => ({ app, components: members }));
}

function appOf(component: ListedComponent): string {
  const declared = propsOf(component.configurable_props).find((prop) => prop.type === 'app')?.app;
  return declared ?? component.key?.split('-')[0] ?? '';
}
