// Counts of the events in the account, every second: one stream for all live parts of a page.
import { untrack } from 'svelte';
import { queries } from '../api/queries';
import { currentSession } from '../shell/session.svelte';
import { Stream } from './stream.svelte';

export type Traffic = {
  ts: number;
  emitters: Record<string, { events: number; errors: number; invocations: number }>;
  routes: { from: string; to: string; count: number }[];
  webhooks: Record<string, { delivered: number; failed: number }>;
  cut?: boolean;
};

type Listener = (traffic: Traffic) => void;

const listeners = new Set<Listener>();
let stream = $state<Stream | undefined>();

/** The state of the stream; undefined without listeners. */
export function trafficState() {
  return stream?.state;
}

/** Subscribes to the traffic; returns the function that unsubscribes. For `$effect`. */
export function onTraffic(listener: Listener): () => void {
  listeners.add(listener);
  // Opening the stream must not rerun the effect that subscribes.
  untrack(open);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stream?.close();
    stream = undefined;
  };
}

/** Refetches all visible queries, except those in flight. */
const refetchAll = () => void queries.invalidateQueries(undefined, { cancelRefetch: false });

function open() {
  stream ??= new Stream({
    url: '/v1/users/me/traffic',
    event: 'traffic',
    shared: `sluice-traffic-${currentSession().user.id}`,
    // The stream does not repeat missed events.
    onOpen: refetchAll,
    // If the server is unreachable, the failed queries of each page show it.
    onLost: refetchAll,
    onEvents: (batch) => {
      for (const event of batch) {
        const traffic = JSON.parse(event.data) as Traffic;
        for (const listener of listeners) listener(traffic);
      }
    },
  });
}
