// The apps of the catalogue, best known first.
import { createInfiniteQuery, keepPreviousData } from '@tanstack/svelte-query';
import { api, body } from '../api/client';
import type { ListedApp } from '../api/types';
import { count } from '../parts/figures';

const PAGE = 60;
/** `has` limits the list to apps with components in the registry, or with some type of them. */
export type AppFilter = { q: string; has?: 'components' | 'triggers' | 'actions' | undefined };
export type AppsQuery = ReturnType<typeof searchApps>;

/** A paginated query of apps. */
export function searchApps(filter: () => AppFilter) {
  return createInfiniteQuery(() => {
    const wanted = filter();
    return {
      queryKey: ['apps', 'search', wanted],
      queryFn: ({ pageParam }: { pageParam: string | undefined }) => page(wanted, pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (last: Page, pages: Page[]) => {
        const seen = pages.reduce((sum, one) => sum + one.data.length, 0);
        return seen < last.page_info.total_count ? (last.page_info.end_cursor ?? undefined) : undefined;
      },
      placeholderData: keepPreviousData,
    };
  });
}

type Page = Awaited<ReturnType<typeof page>>;

function page({ q, has }: AppFilter, after: string | undefined) {
  const wanted = has && { [`has_${has}`]: true };
  const query = { q: q || undefined, ...wanted, sort: 'popularity', limit: PAGE, after } as const;
  return body(api.GET('/v1/apps', { params: { query } }));
}

/** The total count; undefined until it is loaded. */
export function appTotal({ data }: AppsQuery): number | undefined {
  return data?.pages[0]?.page_info.total_count;
}

/** The numbers of components of an app. */
export function componentCounts({ sources, actions }: Pick<ListedApp, 'sources' | 'actions'>): string {
  const counts = [sources > 0 && count(sources, 'source'), actions > 0 && count(actions, 'action')];
  return counts.filter(Boolean).join(', ');
}
