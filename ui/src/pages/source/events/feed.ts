// The live list of the events of a source, or of those that match a search.
import { api, body } from '../../../api/client';
import { Feed } from '../../../live/feed.svelte';
import { bounds, type TimeRange } from '../../../parts/time-range';
import { fieldsOf } from '../../../search/columns';
import { searched } from '../../../search/searching';
import { isTruncated, type Row, rowOf, rowOfMessage } from './rows';

const CAPACITY = 300;

export type EventFilter = {
  source: string;
  channel: string | undefined;
  q: string | undefined;
  range: TimeRange;
  columns: string[];
  /** Called with the fields of each page. */
  onFields: (fields: string[]) => void;
};
export type EventFeed = Feed<Row>;

export function followEvents({ source, channel, q, range, columns, onFields }: EventFilter): EventFeed {
  const path = { id: source };
  // A list without a time has only the newest 100 events.
  const times = { since: '0', ...bounds(range, Date.now()) };
  const fetchEvents = (query: {
    limit: number;
    q?: string | undefined;
    after?: string | undefined;
    since?: string;
    expand?: 'event';
  }) =>
    body(api.GET('/v1/sources/{id}/event_summaries', { params: { path, query: { ...query, event_name: channel } } }));
  // Columns need the whole events.
  const whole = columns.length > 0 ? ({ expand: 'event' } as const) : {};
  /** The newest event when a search starts. The search itself returns only the newest match. */
  let newestOfAll: string | undefined;
  return new Feed<Row>({
    capacity: CAPACITY,
    parse: (json) => rowOfMessage(json, columns),
    async read(limit, after) {
      if (q && !after) newestOfAll = (await fetchEvents({ limit: 1, since: '0' })).data[0]?.id;
      const page = await searched((cursor) => fetchEvents({ ...times, ...whole, limit, q, after: cursor }), after);
      onFields([...new Set(page.data.flatMap(({ event }) => (isTruncated(event) ? [] : fieldsOf(event))))]);
      return { items: page.data.map((summary) => rowOf(summary, columns)), next: page.page_info.searched_to };
    },
    stream(newest) {
      if ('until' in times) return undefined;
      // The stream starts after the newest event of the list, so that no event is missed.
      const params = new URLSearchParams({ last_event_id: (q ? newestOfAll : newest?.id) ?? '0-0' });
      if (channel) params.set('event_name', channel);
      if (q) params.set('q', q);
      return `/v1/sources/${source}/sse?${params}`;
    },
  });
}
