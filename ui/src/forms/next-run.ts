// When the timer of the source that is being configured runs next, for the field that shows its schedule.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('next run');

export function provideNextRun(next: () => number | undefined) {
  setContext(KEY, next);
}

export function nextRun(): (() => number | undefined) | undefined {
  return getContext(KEY);
}
