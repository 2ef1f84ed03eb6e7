// The next run of the source that is being configured, for its timer field.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('next run');

export function provideNextRun(next: () => number | undefined) {
  setContext(KEY, next);
}

export function nextRun(): (() => number | undefined) | undefined {
  return getContext(KEY);
}
