// Refetching when traffic concerns a page.
import { throttled } from './throttle';
import { onTraffic, type Traffic } from './traffic.svelte';

/** Refetches when `concerns` accepts the traffic, at most once a second. Call it while the component is initialised. */
export function refetchOnTraffic(concerns: (traffic: Traffic) => boolean, refetch: () => unknown) {
  $effect(() => {
    const throttledRefetch = throttled(() => void refetch());
    const stop = onTraffic((traffic) => {
      if (concerns(traffic)) throttledRefetch.call();
    });
    return () => {
      stop();
      throttledRefetch.stop();
    };
  });
}
