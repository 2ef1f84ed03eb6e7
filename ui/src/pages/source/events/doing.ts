// What can be done with events that happened.
import { api, body, data } from '../../../api/client';
import { confirm } from '../../../parts/confirmation.svelte';
import { attempt } from '../../../parts/toasts.svelte';

const KEPT_MS = 60_000;

/** What `createQuery` needs to show one event whole, whatever its size. */
export function eventOptions(source: string, event: string) {
  const path = { id: source, event_id: event };
  return {
    queryKey: ['event', source, event],
    queryFn: () => data(api.GET('/v1/sources/{id}/events/{event_id}', { params: { path } })),
    // An event never changes; a large one is not kept in memory for long.
    staleTime: Infinity,
    gcTime: KEPT_MS,
  };
}

/** Without a name the server means the default and custom channels; the default one has an empty name in events. */
const channelOf = (name: string) => (name === '' ? 'default' : name);

export async function deleteOne(source: string, event: string, channel: string): Promise<boolean> {
  if (!(await confirm('Delete this event?', 'It goes for good. What has listened to it keeps what it got.', 'Delete')))
    return false;
  const query = { start_id: event, end_id: event, event_name: channelOf(channel) };
  return attempt(
    () => body(api.DELETE('/v1/sources/{id}/events', { params: { path: { id: source }, query } })),
    'The event is deleted.',
  );
}

export async function deleteAll(source: string, channel: string | undefined): Promise<boolean> {
  const which = channel === undefined ? 'All events but the errors go' : `All events of the channel “${channel}” go`;
  if (!(await confirm('Delete all events?', `${which} for good, also those that are not shown.`, 'Delete all')))
    return false;
  const query = { event_name: channel };
  return attempt(
    () => body(api.DELETE('/v1/sources/{id}/events', { params: { path: { id: source }, query } })),
    'The events are deleted.',
  );
}

export function replay(source: string, event: string): Promise<boolean> {
  return attempt(
    () =>
      data(api.POST('/v1/sources/{id}/events/replay', { params: { path: { id: source } }, body: { event_id: event } })),
    'Sent again to everything that listens now.',
  );
}
