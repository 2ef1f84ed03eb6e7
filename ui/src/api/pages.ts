// Lists that are read page after page.
import { keepPreviousData } from '@tanstack/svelte-query';
import type { PageInfo } from './types';

export const LARGEST_PAGE = 100;
/** As many rows as a list that goes on when its end is seen asks for at a time. */
const ROWS = 50;

export type Page<T> = { data: T[]; page_info: PageInfo };

/** What `createInfiniteQuery` needs for a list that the server searches and cuts into pages. */
export function inPages<T, K extends readonly unknown[]>(
  queryKey: K,
  ask: (page: { limit: number; after: string | undefined }) => Promise<Page<T>>,
) {
  return {
    queryKey,
    queryFn: ({ pageParam }: { pageParam: string | undefined }) => ask({ limit: ROWS, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, page_info }: Page<T>) =>
      data.length < ROWS ? undefined : (page_info.end_cursor ?? undefined),
    placeholderData: keepPreviousData,
  };
}

/** All items of a list, page after page, up to `most`; `total` says how many there are. */
export async function everyPage<T>(
  ask: (after: string | undefined) => Promise<Page<T>>,
  most = 2_000,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await ask(after);
    items.push(...page.data);
    after = page.page_info.end_cursor ?? undefined;
    const total = page.page_info.total_count;
    if (after === undefined || page.data.length < LARGEST_PAGE || items.length >= most) return { items, total };
  }
}
