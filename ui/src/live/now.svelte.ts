// The time, for texts like "3 minutes ago": one clock for the whole page.
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1_000);
  return () => clearInterval(timer);
});

/** The time in milliseconds; whatever shows it is drawn again every second. */
export function now(): number {
  subscribe();
  return Date.now();
}
