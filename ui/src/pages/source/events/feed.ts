// The events of a source as they come.
import { api, body } from '../../../api/client';
import { Feed } from '../../../live/feed.svelte';
import { matches, type Row, rowOf, rowOfMessage } from './rows';

const KEPT = 300;

export type Wanted = { source: string; channel: string | undefined; q: string | undefined };
export type EventFeed = Feed<Row>;

export function followEvents({ source, channel, q }: Wanted): EventFeed {
  return new Feed<Row>({
    kept: KEPT,
    parse: rowOfMessage,
    ...(q ? { wants: (json: string) => matches(json, q) } : {}),
    async read(limit, after) {
      // Beyond the newest 100 the server shows only what is searched for, so a time is given.
      const older = after ? { after: after.id, until: String(after.ms) } : {};
      const query = { ...older, limit, q, event_name: channel };
      const page = await body(api.GET('/v1/sources/{id}/event_summaries', { params: { path: { id: source }, query } }));
      return { items: page.data.map((summary) => rowOf(summary)), total: page.page_info.total_count };
    },
    stream(newest) {
      const wanted = new URLSearchParams();
      if (channel) wanted.set('event_name', channel);
      // Nothing is missed between the list and the stream. A search knows the newest match only, and begins now.
      if (!q) wanted.set('last_event_id', newest?.id ?? '0-0');
      return `/v1/sources/${source}/sse?${wanted}`;
    },
  });
}
