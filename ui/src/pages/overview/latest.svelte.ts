// What happened since the server was last asked, so that figures move between two answers.
import type { Traffic } from '../../live/traffic.svelte';

type Counts = { events: number; errors: number };
const NOTHING: Counts = { events: 0, errors: 0 };

export class Latest {
  #emitters = $state.raw<Map<string, Counts>>(new Map());
  total = $derived.by(() => [...this.#emitters.values()].reduce(add, NOTHING));

  take(traffic: Traffic) {
    const emitters = new Map(this.#emitters);
    for (const [id, counts] of Object.entries(traffic.emitters)) {
      emitters.set(id, add(this.of(id), counts));
    }
    this.#emitters = emitters;
  }

  of(id: string): Counts {
    return this.#emitters.get(id) ?? NOTHING;
  }

  /** The server counts it now. */
  forget() {
    this.#emitters = new Map();
  }
}

function add(one: Counts, other: Counts): Counts {
  return { events: one.events + other.events, errors: one.errors + other.errors };
}
