// The live list of the events of a source.
import { api, body } from '../../../api/client';
import { Feed } from '../../../live/feed.svelte';
import { matches, type Row, rowOf, rowOfMessage } from './rows';

const CAPACITY = 300;

export type EventFilter = { source: string; channel: string | undefined; q: string | undefined };
export type EventFeed = Feed<Row>;

export function followEvents({ source, channel, q }: EventFilter): EventFeed {
  const path = { id: source };
  const fetchEvents = (query: { limit: number; q?: string | undefined; after?: string; until?: string }) =>
    body(api.GET('/v1/sources/{id}/event_summaries', { params: { path, query: { ...query, event_name: channel } } }));
  /** The newest event when a search starts. The search itself returns only the newest match. */
  let newestOfAll: string | undefined;
  return new Feed<Row>({
    capacity: CAPACITY,
    parse: rowOfMessage,
    ...(q ? { accepts: (json: string) => matches(json, q) } : {}),
    async read(limit, after) {
      if (q && !after) newestOfAll = (await fetchEvents({ limit: 1 })).data[0]?.id;
      // Beyond the newest 100 events the API requires a search or a time bound.
      const older = after ? { after: after.id, until: String(after.ms) } : {};
      const page = await fetchEvents({ ...older, limit, q });
      return page.data.map((summary) => rowOf(summary));
    },
    stream(newest) {
      // The stream starts after the newest event of the list, so that no event is missed.
      const params = new URLSearchParams({ last_event_id: (q ? newestOfAll : newest?.id) ?? '0-0' });
      if (channel) params.set('event_name', channel);
      return `/v1/sources/${source}/sse?${params}`;
    },
  });
}
