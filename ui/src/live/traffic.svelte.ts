// What happens in the account, second by second: one stream for everything on the page that moves.
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

/** Whether news arrive; undefined while nobody listens. */
export function trafficState() {
  return stream?.state;
}

/** Hears the traffic of each second until the returned function is called. For `$effect`. */
export function onTraffic(listener: Listener): () => void {
  listeners.add(listener);
  // An effect that listens must not run again because the stream that it opens is there.
  untrack(open);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stream?.close();
    stream = undefined;
  };
}

/** Asks again for what is shown, but not twice for what is on its way. */
const lookAgain = () => void queries.invalidateQueries(undefined, { cancelRefetch: false });

function open() {
  stream ??= new Stream({
    url: '/v1/users/me/traffic',
    event: 'traffic',
    shared: `sluice-traffic-${currentSession().user.id}`,
    // What happened meanwhile is told by nobody, so it is asked for.
    onOpen: lookAgain,
    // Where the server is away, each page says so as it does when it is asked for something.
    onLost: lookAgain,
    onEvents: (batch) => {
      for (const event of batch) {
        const traffic = JSON.parse(event.data) as Traffic;
        for (const hear of listeners) hear(traffic);
      }
    },
  });
}
