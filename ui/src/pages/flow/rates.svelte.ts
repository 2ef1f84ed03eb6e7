// Live rates of the map: the traffic of the last seconds, by edge and by node.
import type { Traffic } from '../../live/traffic.svelte';
import { routesOf } from './graph';

const WINDOW_MS = 5_000;

type Counts = Map<string, number>;
type Second = { at: number; routes: Counts; events: Counts; errors: Counts };

export class LiveRates {
  #known: () => ReadonlySet<string>;
  #seconds: Second[] = [];
  #routes = $state.raw<Counts>(new Map());
  #events = $state.raw<Counts>(new Map());
  #errors = $state.raw<Counts>(new Map());

  /** `known` returns the edges on the map. */
  constructor(known: () => ReadonlySet<string>) {
    this.#known = known;
  }

  add(traffic: Traffic) {
    const second: Second = { at: Date.now(), routes: new Map(), events: new Map(), errors: new Map() };
    for (const { from, to, count } of traffic.routes) {
      for (const route of routesOf(this.#known(), from, to)) increment(second.routes, route, count);
    }
    for (const [id, { events, errors }] of Object.entries(traffic.emitters)) {
      increment(second.events, id, events);
      increment(second.errors, id, errors);
    }
    for (const [id, { delivered, failed }] of Object.entries(traffic.webhooks)) {
      increment(second.events, id, delivered);
      increment(second.errors, id, failed);
    }
    this.#seconds.push(second);
    this.#sum();
  }

  /** Drops counts outside the window. Call it every second. */
  expire() {
    if (this.#seconds.length > 0) this.#sum();
  }

  onRoute(id: string): number {
    return perSecond(this.#routes.get(id));
  }
  events(id: string): number {
    return perSecond(this.#events.get(id));
  }
  errors(id: string): number {
    return perSecond(this.#errors.get(id));
  }

  #sum() {
    const since = Date.now() - WINDOW_MS;
    this.#seconds = this.#seconds.filter(({ at }) => at > since);
    this.#routes = total(this.#seconds.map(({ routes }) => routes));
    this.#events = total(this.#seconds.map(({ events }) => events));
    this.#errors = total(this.#seconds.map(({ errors }) => errors));
  }
}

/** "12/s", "<1/s"; empty for zero. */
export function rateText(rate: number): string {
  if (rate === 0) return '';
  return rate < 1 ? '<1/s' : `${Math.round(rate).toLocaleString()}/s`;
}

function perSecond(count: number | undefined): number {
  return (count ?? 0) / (WINDOW_MS / 1_000);
}

function increment(counts: Counts, key: string, count: number) {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}

function total(parts: Counts[]): Counts {
  const sum: Counts = new Map();
  for (const part of parts) for (const [key, count] of part) increment(sum, key, count);
  return sum;
}
