// The list of sources: searched and cut into pages by the server, kept moving by the traffic.
import type { InfiniteData } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import { inPages, type Page } from '../../api/pages';
import { queries } from '../../api/queries';
import type { Source } from '../../api/types';
import type { Traffic } from '../../live/traffic.svelte';
import { grown } from '../../parts/activity';

export const states = ['active', 'inactive', 'failing'] as const;
export type State = (typeof states)[number];
export type Wanted = { q: string | undefined; state: State | undefined };

type Listed = InfiniteData<Page<Source>, string | undefined>;

const keyOf = ({ q, state }: Wanted) => ['sources', q ?? '', state ?? ''] as const;

/** What `createInfiniteQuery` needs to show the sources that are wanted. */
export function listing(wanted: Wanted) {
  return inPages(keyOf(wanted), (page) => {
    const query = { ...wanted, ...page, expand: 'activity' };
    return body(api.GET('/v1/users/me/sources', { params: { query } }));
  });
}

/** Puts what was heard into the rows it is about. */
export function hear(wanted: Wanted, traffic: Traffic) {
  const queryKey = keyOf(wanted);
  const known = queries.getQueryState(queryKey)?.dataUpdatedAt ?? traffic.ts;
  queries.setQueryData<Listed>(queryKey, (listed) => listed && { ...listed, pages: listed.pages.map(moved) });

  function moved(page: Page<Source>): Page<Source> {
    if (!page.data.some(({ id }) => traffic.emitters[id])) return page;
    return { ...page, data: page.data.map(rowMoved) };
  }

  function rowMoved(source: Source): Source {
    const news = traffic.emitters[source.id];
    if (!news || !source.activity) return source;
    return { ...source, activity: grown(source.activity, news, traffic.ts, known) };
  }
}
