// The first source: deploys an example, triggers it and follows its events.
import { api, body, data } from '../../api/client';
import type { EventSummary, Source } from '../../api/types';
import { Stream } from '../../live/stream.svelte';
import { type Example, greeting } from './examples';

const MAX_EVENTS = 20;

export class FirstSource {
  source = $state.raw<Source>();
  events = $state.raw<EventSummary[]>([]);
  #stream = $state.raw<Stream>();
  #destroyed = false;

  constructor() {
    // Fetches events that were emitted before the stream was open.
    $effect(() => {
      if (this.#stream?.state === 'live' && this.source) void this.#catchUp(this.source.id);
    });
    $effect(() => () => {
      this.#destroyed = true;
      this.#stream?.close();
    });
  }

  get endpoint(): string | undefined {
    const http: unknown = this.source?.configured_props.http;
    const url = typeof http === 'object' && http !== null && 'endpoint_url' in http ? http.endpoint_url : undefined;
    return typeof url === 'string' ? url : undefined;
  }

  async deploy({ name, code }: Example) {
    this.#follow(await data(api.POST('/v1/sources', { body: { name, component_code: code } })));
  }

  /** Continues with an existing source, for example after a reload. */
  async resume(id: string) {
    this.#follow(await data(api.GET('/v1/sources/{id}', { params: { path: { id } } })));
  }

  /** Sends a request to the endpoint. If the endpoint has another origin, the server runs the source directly. */
  async send() {
    const { endpoint, source } = this;
    if (!source) return;
    if (endpoint && new URL(endpoint).origin === location.origin) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(endpoint, {
        method: 'POST',
        headers,
        body: JSON.stringify(greeting),
        credentials: 'omit',
      });
      if (!response.ok) throw new Error(`The endpoint answered ${response.status}.`);
    } else {
      await this.run({ method: 'POST', path: '/', headers: {}, query: {}, body: greeting });
    }
  }

  async run(event?: unknown) {
    const { source } = this;
    if (!source) return;
    await body(api.POST('/v1/sources/{id}/run', { params: { path: { id: source.id } }, body: { event } }));
  }

  reset() {
    this.#stream?.close();
    this.#stream = undefined;
    this.source = undefined;
    this.events = [];
  }

  #follow(source: Source) {
    // The page may have been left during the request.
    if (this.#destroyed) return;
    this.source = source;
    this.#stream = new Stream({
      url: `/v1/sources/${source.id}/sse`,
      event: 'message',
      resume: 'last_event_id',
      onEvents: (batch) => this.#add(batch.map((message) => JSON.parse(message.data) as EventSummary)),
    });
  }

  async #catchUp(id: string) {
    const known = await body(
      api.GET('/v1/sources/{id}/event_summaries', {
        params: { path: { id }, query: { limit: MAX_EVENTS, expand: 'event' } },
      }),
    );
    this.#add(known.data.toReversed());
  }

  #add(events: EventSummary[]) {
    const known = new Set(this.events.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !known.has(id));
    this.events = [...fresh.toReversed(), ...this.events]
      .sort((a, b) => b.indexed_at_ms - a.indexed_at_ms)
      .slice(0, MAX_EVENTS);
  }
}
