// The components that sources can be made from.
import { createInfiniteQuery, keepPreviousData } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import type { Component } from '../../api/types';
import { propsOf } from '../../forms/prop';

const PAGE = 50;
export type Scope = 'registry' | 'published';
export type Listed = Omit<Component, 'code'>;
export type Group = { app: string; components: Listed[] };

export type Found = ReturnType<typeof search>;

/** The components of a kind that are wanted, page after page. */
export function search(scope: Scope, wanted: () => { q: string; app: string }) {
  return createInfiniteQuery(() => {
    const { q, app } = wanted();
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

/** How many there are; undefined until it is known. */
export function totalOf({ data }: Found): number | undefined {
  return data?.pages[0]?.page_info.total_count;
}

type Page = Awaited<ReturnType<typeof page>>;

function page(scope: Scope, q: string, app: string, after: string | undefined) {
  // The code is not needed to choose by, and would be most of the answer.
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

/** By the app that they are for, which is that of their first app prop or the beginning of their key. */
export function byApp(components: Listed[]): Group[] {
  const groups = new Map<string, Listed[]>();
  for (const component of components) {
    const app = appOf(component);
    groups.set(app, [...(groups.get(app) ?? []), component]);
  }
  return [...groups].map(([app, members]) => ({ app, components: members }));
}

function appOf(component: Listed): string {
  const declared = propsOf(component.configurable_props).find((prop) => prop.type === 'app')?.app;
  return declared ?? component.key?.split('-')[0] ?? '';
}
