// What moves on the map: the traffic of the last seconds, by line and by node.
import type { Traffic } from '../../live/traffic.svelte';
import { linesOf } from './graph';

const WINDOW_MS = 5_000;

type Counts = Map<string, number>;
type Second = { at: number; routes: Counts; events: Counts; failures: Counts };

export class Moving {
  #known: () => ReadonlySet<string>;
  #seconds: Second[] = [];
  #routes = $state.raw<Counts>(new Map());
  #events = $state.raw<Counts>(new Map());
  #failures = $state.raw<Counts>(new Map());

  /** `known` are the lines on the map. */
  constructor(known: () => ReadonlySet<string>) {
    this.#known = known;
  }

  take(traffic: Traffic) {
    const second: Second = { at: Date.now(), routes: new Map(), events: new Map(), failures: new Map() };
    for (const { from, to, count } of traffic.routes) {
      for (const line of linesOf(this.#known(), from, to)) add(second.routes, line, count);
    }
    for (const [id, { events, errors }] of Object.entries(traffic.emitters)) {
      add(second.events, id, events);
      add(second.failures, id, errors);
    }
    for (const [id, { delivered, failed }] of Object.entries(traffic.webhooks)) {
      add(second.events, id, delivered);
      add(second.failures, id, failed);
    }
    this.#seconds.push(second);
    this.#sum();
  }

  /** Lets go of what is no longer new; for a clock. */
  pass() {
    if (this.#seconds.length > 0) this.#sum();
  }

  onRoute(id: string): number {
    return perSecond(this.#routes.get(id));
  }
  events(id: string): number {
    return perSecond(this.#events.get(id));
  }
  failures(id: string): number {
    return perSecond(this.#failures.get(id));
  }

  #sum() {
    const since = Date.now() - WINDOW_MS;
    this.#seconds = this.#seconds.filter(({ at }) => at > since);
    this.#routes = total(this.#seconds.map(({ routes }) => routes));
    this.#events = total(this.#seconds.map(({ events }) => events));
    this.#failures = total(this.#seconds.map(({ failures }) => failures));
  }
}

/** "12/s", "<1/s"; nothing for nothing. */
export function rateWords(rate: number): string {
  if (rate === 0) return '';
  return rate < 1 ? '<1/s' : `${Math.round(rate).toLocaleString()}/s`;
}

function perSecond(count: number | undefined): number {
  return (count ?? 0) / (WINDOW_MS / 1_000);
}

function add(counts: Counts, key: string, count: number) {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}

function total(parts: Counts[]): Counts {
  const sum: Counts = new Map();
  for (const part of parts) for (const [key, count] of part) add(sum, key, count);
  return sum;
}
