// Queries and actions of stored events.
import { api, body, data } from '../../../api/client';
import { confirm } from '../../../parts/confirmation.svelte';
import { attempt } from '../../../parts/toasts.svelte';

const CACHE_MS = 60_000;

/** Query options of one event with its full data. */
export function eventOptions(source: string, event: string) {
  const path = { id: source, event_id: event };
  return {
    queryKey: ['event', source, event],
    queryFn: () => data(api.GET('/v1/sources/{id}/events/{event_id}', { params: { path } })),
    // Events are immutable. Large ones are dropped from the cache soon.
    staleTime: Infinity,
    gcTime: CACHE_MS,
  };
}

/** Without a name the API selects the default and custom channels. Events of the default channel have an empty name. */
const channelOf = (name: string) => (name === '' ? 'default' : name);

export async function deleteEvent(source: string, event: string, channel: string): Promise<boolean> {
  if (
    !(await confirm(
      'Delete this event?',
      'Listeners that already received it are not affected. This cannot be undone.',
      'Delete',
    ))
  )
    return false;
  const query = { start_id: event, end_id: event, event_name: channelOf(channel) };
  return attempt(
    () => body(api.DELETE('/v1/sources/{id}/events', { params: { path: { id: source }, query } })),
    'Event deleted',
  );
}

export async function deleteAllEvents(source: string, channel: string | undefined): Promise<boolean> {
  const scope = channel === undefined ? 'all events except errors' : `all events of the channel “${channel}”`;
  const note = `This deletes ${scope}, including those not shown. It cannot be undone.`;
  if (!(await confirm('Delete all events?', note, 'Delete all'))) return false;
  const query = { event_name: channel };
  return attempt(
    () => body(api.DELETE('/v1/sources/{id}/events', { params: { path: { id: source }, query } })),
    'Events deleted',
  );
}

export function replay(source: string, event: string): Promise<boolean> {
  return attempt(
    () =>
      data(api.POST('/v1/sources/{id}/events/replay', { params: { path: { id: source } }, body: { event_id: event } })),
    'Event sent to all current listeners',
  );
}
