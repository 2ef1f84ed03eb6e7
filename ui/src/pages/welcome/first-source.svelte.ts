// The way from nothing to a first event: deploy an example, wake it, and hear what it emits.
import { api, body, data } from '../../api/client';
import type { EventSummary, Source } from '../../api/types';
import { Stream } from '../../live/stream.svelte';
import { type Example, greeting } from './examples';

const KEPT = 20;

export class FirstSource {
  source = $state.raw<Source>();
  events = $state.raw<EventSummary[]>([]);
  #stream = $state.raw<Stream>();
  #left = false;

  constructor() {
    // What was emitted before the stream was open is asked for.
    $effect(() => {
      if (this.#stream?.state === 'live' && this.source) void this.#catchUp(this.source.id);
    });
    $effect(() => () => {
      this.#left = true;
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

  /** Goes on with a source that was deployed before, as after a reload. */
  async resume(id: string) {
    this.#follow(await data(api.GET('/v1/sources/{id}', { params: { path: { id } } })));
  }

  /** A request as anybody could send it; where the page may not send one, the server runs the source as if it had come. */
  async send() {
    const { endpoint, source } = this;
    if (!source) return;
    if (endpoint && new URL(endpoint).origin === location.origin) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers,
        body: JSON.stringify(greeting),
        credentials: 'omit',
      });
      if (!answer.ok) throw new Error(`The endpoint answered ${answer.status}.`);
    } else {
      await this.run({ method: 'POST', path: '/', headers: {}, query: {}, body: greeting });
    }
  }

  async run(event?: unknown) {
    const { source } = this;
    if (!source) return;
    await body(api.POST('/v1/sources/{id}/run', { params: { path: { id: source.id } }, body: { event } }));
  }

  forget() {
    this.#stream?.close();
    this.#stream = undefined;
    this.source = undefined;
    this.events = [];
  }

  #follow(source: Source) {
    // Whoever has left the page while it was asked for hears nothing of it.
    if (this.#left) return;
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
        params: { path: { id }, query: { limit: KEPT, expand: 'event' } },
      }),
    );
    this.#add(known.data.toReversed());
  }

  #add(events: EventSummary[]) {
    const known = new Set(this.events.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !known.has(id));
    this.events = [...fresh.toReversed(), ...this.events]
      .sort((a, b) => b.indexed_at_ms - a.indexed_at_ms)
      .slice(0, KEPT);
  }
}
