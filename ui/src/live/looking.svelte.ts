// Lists and pages that are asked for again when something happened to what they show.
import { untrack } from 'svelte';
import { queries } from '../api/queries';
import { throttled } from './throttle';
import { onTraffic, type Traffic, trafficState } from './traffic.svelte';

/**
 * Looks again when the traffic concerns the page that calls this while it is being made, at most once a second, and
 * when news arrive after they did not: what happened meanwhile is not told again.
 */
export function lookWhen(concerns: (traffic: Traffic) => boolean, look: () => unknown) {
  $effect(() => {
    const again = throttled(() => void look());
    const stop = onTraffic((traffic) => {
      if (concerns(traffic)) again.call();
    });
    return () => {
      stop();
      again.stop();
    };
  });
  $effect(() => {
    // What is on its way already is not asked for twice.
    if (trafficState() === 'live' && queries.isFetching() === 0) untrack(() => void look());
  });
}
