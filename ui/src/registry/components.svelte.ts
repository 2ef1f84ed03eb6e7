// The components of the registry, and those published in this account.
import { createInfiniteQuery, keepPreviousData } from '@tanstack/svelte-query';
import { api, body } from '../api/client';
import type { Component } from '../api/types';

const PAGE = 50;
export type Scope = 'registry' | 'published';
export type ComponentType = 'source' | 'action';
export type ListedComponent = Omit<Component, 'code'>;
export type Group = { app: string; components: ListedComponent[] };
export type ComponentFilter = { type: ComponentType; q: string; app: string };

export type ComponentQuery = ReturnType<typeof searchComponents>;

/** A paginated query of components. */
export function searchComponents(scope: Scope, filter: () => ComponentFilter) {
  return createInfiniteQuery(() => {
    const wanted = filter();
    return {
      queryKey: ['components', scope, wanted],
      queryFn: ({ pageParam }: { pageParam: string | undefined }) => page(scope, wanted, pageParam),
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

export function rowsOf({ data }: ComponentQuery): ListedComponent[] {
  return data?.pages.flatMap((one) => one.data) ?? [];
}

type Page = Awaited<ReturnType<typeof page>>;

function page(scope: Scope, { type, q, app }: ComponentFilter, after: string | undefined) {
  // The code is not needed and would be most of the response.
  const query = {
    scope,
    type,
    q: q || undefined,
    app: app || undefined,
    limit: PAGE,
    after,
    exclude: 'code,code_hash',
  };
  return body(api.GET('/v1/components', { params: { query } }));
}

/** Groups components by app, in the order of their first component. */
export function byApp(components: ListedComponent[]): Group[] {
  const groups = new Map<string, ListedComponent[]>();
  for (const component of components) {
    const app = component.app ?? '';
    groups.set(app, [...(groups.get(app) ?? []), component]);
  }
  return [...groups].map(([app, members]) => ({ app, components: members }));
}
