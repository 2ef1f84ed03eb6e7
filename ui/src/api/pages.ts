// Lists that are short enough to be had whole.
import type { PageInfo } from './types';

export const LARGEST_PAGE = 100;

type Page<T> = { data: T[]; page_info: PageInfo };

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
