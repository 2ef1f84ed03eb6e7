// Lists and pages that are asked for again when something happened to what they show.
import { throttled } from './throttle';
import { onTraffic, type Traffic } from './traffic.svelte';

/** Looks again when the traffic concerns the page that calls this while it is being made, at most once a second. */
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
}
