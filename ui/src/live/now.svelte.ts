// The current time for texts like "3 minutes ago": one timer for the whole page.
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1_000);
  return () => clearInterval(timer);
});

/** The time in milliseconds. Reactive: updates every second. */
export function now(): number {
  subscribe();
  return Date.now();
}
