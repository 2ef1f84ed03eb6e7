// The list of sources: filtered and paginated by the server, updated by the traffic stream.
import type { InfiniteData } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import { type Page, pagedQuery } from '../../api/pages';
import { queries } from '../../api/queries';
import type { Source } from '../../api/types';
import type { Traffic } from '../../live/traffic.svelte';
import { addCounts } from '../../parts/activity';

export const states = ['active', 'inactive', 'failing'] as const;
export type State = (typeof states)[number];
export type Filter = { q: string | undefined; state: State | undefined };

type SourcePages = InfiniteData<Page<Source>, string | undefined>;

const keyOf = ({ q, state }: Filter) => ['sources', q ?? '', state ?? ''] as const;

/** Options of `createInfiniteQuery` for the filtered sources. */
export function listing(filter: Filter) {
  return pagedQuery(keyOf(filter), (page) => {
    const query = { ...filter, ...page, expand: 'activity' };
    return body(api.GET('/v1/users/me/sources', { params: { query } }));
  });
}

/** Adds the counts of the traffic to the affected rows. */
export function applyTraffic(filter: Filter, traffic: Traffic) {
  const queryKey = keyOf(filter);
  const updatedAt = queries.getQueryState(queryKey)?.dataUpdatedAt ?? traffic.ts;
  queries.setQueryData<SourcePages>(queryKey, (list) => list && { ...list, pages: list.pages.map(updatedPage) });

  function updatedPage(page: Page<Source>): Page<Source> {
    if (!page.data.some(({ id }) => traffic.emitters[id])) return page;
    return { ...page, data: page.data.map(updatedRow) };
  }

  function updatedRow(source: Source): Source {
    const counts = traffic.emitters[source.id];
    if (!counts || !source.activity) return source;
    return { ...source, activity: addCounts(source.activity, counts, traffic.ts, updatedAt) };
  }
}
