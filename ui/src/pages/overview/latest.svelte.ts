// Counts since the last overview response, so that the figures are live.
import type { Traffic } from '../../live/traffic.svelte';

type Counts = { events: number; errors: number };
const ZERO: Counts = { events: 0, errors: 0 };

export class Latest {
  #emitters = $state.raw<Map<string, Counts>>(new Map());
  total = $derived.by(() => [...this.#emitters.values()].reduce(sum, ZERO));

  add(traffic: Traffic) {
    const emitters = new Map(this.#emitters);
    for (const [id, counts] of Object.entries(traffic.emitters)) {
      emitters.set(id, sum(this.of(id), counts));
    }
    this.#emitters = emitters;
  }

  of(id: string): Counts {
    return this.#emitters.get(id) ?? ZERO;
  }

  /** The next overview response includes these counts. */
  reset() {
    this.#emitters = new Map();
  }
}

function sum(one: Counts, other: Counts): Counts {
  return { events: one.events + other.events, errors: one.errors + other.errors };
}
