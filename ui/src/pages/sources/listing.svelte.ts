// The list of sources: searched and cut into pages by the server, kept moving by the traffic.
import { type InfiniteData, keepPreviousData } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { PageInfo, Source } from '../../api/types';
import type { Traffic } from '../../live/traffic.svelte';
import { grown } from '../../parts/activity';

const PAGE = 50;

export const states = ['active', 'inactive', 'failing'] as const;
export type State = (typeof states)[number];
export type Wanted = { q: string | undefined; state: State | undefined };

type Page = { data: Source[]; page_info: PageInfo };
type Listed = InfiniteData<Page, string | undefined>;

const keyOf = ({ q, state }: Wanted) => ['sources', q ?? '', state ?? ''] as const;

/** What `createInfiniteQuery` needs to show the sources that are wanted. */
export function listing(wanted: Wanted) {
  return {
    queryKey: keyOf(wanted),
    queryFn: ({ pageParam }: { pageParam: string | undefined }): Promise<Page> => {
      const query = { ...wanted, limit: PAGE, after: pageParam, expand: 'activity' as const };
      return body(api.GET('/v1/users/me/sources', { params: { query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, page_info }: Page) =>
      data.length < PAGE ? undefined : (page_info.end_cursor ?? undefined),
    placeholderData: keepPreviousData,
  };
}

/** Puts what was heard into the rows it is about. */
export function hear(wanted: Wanted, traffic: Traffic) {
  const queryKey = keyOf(wanted);
  const known = queries.getQueryState(queryKey)?.dataUpdatedAt ?? traffic.ts;
  queries.setQueryData<Listed>(queryKey, (listed) => listed && { ...listed, pages: listed.pages.map(moved) });

  function moved(page: Page): Page {
    if (!page.data.some(({ id }) => traffic.emitters[id])) return page;
    return { ...page, data: page.data.map(rowMoved) };
  }

  function rowMoved(source: Source): Source {
    const news = traffic.emitters[source.id];
    if (!news || !source.activity) return source;
    return { ...source, activity: grown(source.activity, news, traffic.ts, known) };
  }
}
