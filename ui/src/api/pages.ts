// Paginated lists.
import { keepPreviousData } from '@tanstack/svelte-query';
import type { PageInfo } from './types';

export const LARGEST_PAGE = 100;
/** The page size of lists with infinite scrolling. */
const ROWS = 50;

export type Page<T> = { data: T[]; page_info: PageInfo };

/** Options of `createInfiniteQuery` for a paginated list. */
export function pagedQuery<T, K extends readonly unknown[]>(
  queryKey: K,
  fetchPage: (page: { limit: number; after: string | undefined }) => Promise<Page<T>>,
) {
  return {
    queryKey,
    queryFn: ({ pageParam }: { pageParam: string | undefined }) => fetchPage({ limit: ROWS, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, page_info }: Page<T>) =>
      data.length < ROWS ? undefined : (page_info.end_cursor ?? undefined),
    placeholderData: keepPreviousData,
  };
}

/** All items of a list, up to `most`. `total` is the full count. */
export async function fetchAllPages<T>(
  fetchPage: (after: string | undefined) => Promise<Page<T>>,
  most = 2_000,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await fetchPage(after);
    items.push(...page.data);
    after = page.page_info.end_cursor ?? undefined;
    const total = page.page_info.total_count;
    if (after === undefined || page.data.length < LARGEST_PAGE || items.length >= most) return { items, total };
  }
}
