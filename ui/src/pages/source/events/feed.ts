// The events of a source as they come.
import { api, body } from '../../../api/client';
import { Feed } from '../../../live/feed.svelte';
import { matches, type Row, rowOf, rowOfMessage } from './rows';

const KEPT = 300;

export type Wanted = { source: string; channel: string | undefined; q: string | undefined };
export type EventFeed = Feed<Row>;

export function followEvents({ source, channel, q }: Wanted): EventFeed {
  const path = { id: source };
  const ask = (query: { limit: number; q?: string | undefined; after?: string; until?: string }) =>
    body(api.GET('/v1/sources/{id}/event_summaries', { params: { path, query: { ...query, event_name: channel } } }));
  /** The newest event of all, when a search was begun: it knows the newest match only. */
  let newestOfAll: string | undefined;
  return new Feed<Row>({
    kept: KEPT,
    parse: rowOfMessage,
    ...(q ? { wants: (json: string) => matches(json, q) } : {}),
    async read(limit, after) {
      if (q && !after) newestOfAll = (await ask({ limit: 1 })).data[0]?.id;
      // Beyond the newest 100 the server shows only what is searched for, so a time is given.
      const older = after ? { after: after.id, until: String(after.ms) } : {};
      const page = await ask({ ...older, limit, q });
      return page.data.map((summary) => rowOf(summary));
    },
    stream(newest) {
      // Nothing is missed between the list and the stream.
      const wanted = new URLSearchParams({ last_event_id: (q ? newestOfAll : newest?.id) ?? '0-0' });
      if (channel) wanted.set('event_name', channel);
      return `/v1/sources/${source}/sse?${wanted}`;
    },
  });
}
