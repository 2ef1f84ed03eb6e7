// The live log of a source.
import { untrack } from 'svelte';
import { api, body } from '../../../api/client';
import type { LogLine } from '../../../api/types';
import { Feed } from '../../../live/feed.svelte';

const CAPACITY = 1_000;

export type LogFeed = Feed<LogLine>;

export function followLogs(source: string): LogFeed {
  return untrack(
    () =>
      new Feed<LogLine>({
        capacity: CAPACITY,
        parse: (json) => JSON.parse(json) as LogLine,
        async read(limit, after) {
          const params = { path: { id: source }, query: { limit, after: after?.id } };
          const page = await body(api.GET('/v1/sources/{id}/logs', { params }));
          return page.data;
        },
        stream(newest) {
          const last = newest ? `${newest.ts}-${newest.id}` : '0-0';
          return `/v1/sse/dc/${source}/observations?last_event_id=${last}`;
        },
      }),
  );
}
