// The live log of a source, or the lines that match a search.
import { untrack } from 'svelte';
import { api, body } from '../../../api/client';
import type { LogLine } from '../../../api/types';
import { Feed } from '../../../live/feed.svelte';
import { bounds, type TimeRange } from '../../../parts/time-range';
import { searched } from '../../../search/searching';

const CAPACITY = 1_000;

export type LogFilter = { source: string; q: string; range: TimeRange };
export type LogFeed = Feed<LogLine>;

export function followLogs({ source, q, range }: LogFilter): LogFeed {
  const times = { since: '0', ...bounds(range, Date.now()) };
  const fetchLines = (query: { limit: number; q?: string; after?: string | undefined; since?: string }) =>
    body(api.GET('/v1/sources/{id}/logs', { params: { path: { id: source }, query } }));
  /** The newest line when a search starts. The search itself returns only the newest match. */
  let newestOfAll: LogLine | undefined;
  const options = {
    capacity: CAPACITY,
    parse: (json: string) => JSON.parse(json) as LogLine,
    async read(limit: number, after: string | undefined) {
      if (q && !after) newestOfAll = (await fetchLines({ limit: 1, since: '0' })).data[0];
      const page = await searched(
        (cursor) => fetchLines({ ...times, limit, ...(q ? { q } : {}), after: cursor }),
        after,
      );
      return { items: page.data, next: page.page_info.searched_to };
    },
    stream(newest: LogLine | undefined) {
      if ('until' in times) return undefined;
      const last = q ? newestOfAll : newest;
      const params = new URLSearchParams({ last_event_id: last ? `${last.ts}-${last.id}` : '0-0' });
      if (q) params.set('q', q);
      return `/v1/sse/dc/${source}/observations?${params}`;
    },
  };
  return untrack(() => new Feed<LogLine>(options));
}
