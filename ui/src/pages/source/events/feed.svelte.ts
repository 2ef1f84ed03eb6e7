// The events of a source as they come. Nothing moves under the eyes of somebody who reads, and however many come, few are kept.
import { api, body } from '../../../api/client';
import { Stream, type StreamState } from '../../../live/stream.svelte';
import { matches, type Row, rowOf, rowOfMessage } from './rows';

const PAGE = 100;
/** How many rows stay while new ones come. */
const KEPT = 300;
/** The list changes at most this often. */
const PACE_MS = 150;

export type Wanted = { source: string; channel: string | undefined; q: string | undefined };

export class EventFeed {
  rows = $state.raw<Row[]>([]);
  /** New ones that wait until nobody reads. */
  waiting = $state(0);
  loading = $state(true);
  loadingOlder = $state(false);
  hasOlder = $state(false);
  error = $state.raw<unknown>();
  total = $state(0);

  #wanted: Wanted;
  #onSeen: (events: number) => void;
  #stream = $state.raw<Stream>();
  #closed = false;
  #reading = false;
  #held: Row[] = [];
  #incoming: Row[] = [];
  #arrived = 0;
  #pace: ReturnType<typeof setTimeout> | undefined;
  #applied = 0;

  constructor(wanted: Wanted, onSeen: (events: number) => void) {
    this.#wanted = wanted;
    this.#onSeen = onSeen;
    void this.load();
  }

  get live(): StreamState {
    return this.#stream?.state ?? 'connecting';
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#pace);
    this.#stream?.close();
  }

  async load() {
    this.loading = true;
    this.error = undefined;
    try {
      const page = await this.#ask({});
      if (this.#closed) return;
      this.rows = page.data.map((summary) => rowOf(summary));
      this.total = page.page_info.total_count;
      this.hasOlder = page.data.length === PAGE;
      this.#follow();
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }

  /** Beyond the newest 100 the server shows only what is searched for, so a time is given. */
  async older() {
    const last = this.rows.at(-1);
    if (!last || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const page = await this.#ask({ after: last.id, until: String(last.ms) });
      const known = new Set(this.rows.map(({ id }) => id));
      const older = page.data.map((summary) => rowOf(summary)).filter(({ id }) => !known.has(id));
      this.rows = [...this.rows, ...older];
      this.hasOlder = page.data.length === PAGE;
    } catch (error) {
      this.error = error;
    } finally {
      this.loadingOlder = false;
    }
  }

  /** While somebody reads, new events wait. */
  read(reading: boolean) {
    this.#reading = reading;
    if (!reading) this.showWaiting();
  }

  showWaiting() {
    if (this.waiting === 0) return;
    // Of more than are held, those between are left for paging.
    const gap = this.waiting > this.#held.length;
    this.rows = gap ? this.#held : this.#trimmed([...this.#held, ...this.rows]);
    this.hasOlder ||= gap;
    this.#held = [];
    this.waiting = 0;
  }

  forget(id: string) {
    this.rows = this.rows.filter((row) => row.id !== id);
    this.#held = this.#held.filter((row) => row.id !== id);
    this.total = Math.max(0, this.total - 1);
  }

  forgetAll() {
    this.rows = [];
    this.#held = [];
    this.waiting = 0;
    this.total = 0;
    this.hasOlder = false;
  }

  #ask(where: { after?: string; until?: string }) {
    const { source, channel, q } = this.#wanted;
    const query = { ...where, limit: PAGE, q, event_name: channel };
    return body(api.GET('/v1/sources/{id}/event_summaries', { params: { path: { id: source }, query } }));
  }

  /** Goes on after the newest event that is known, so that none is missed. */
  #follow() {
    const { source, channel } = this.#wanted;
    const url = new URL(`/v1/sources/${source}/sse`, location.origin);
    if (channel) url.searchParams.set('event_name', channel);
    const newest = this.rows[0]?.id;
    if (newest && !this.#wanted.q) url.searchParams.set('last_event_id', newest);
    this.#stream?.close();
    this.#stream = new Stream({
      url: url.href,
      event: 'message',
      resume: 'last_event_id',
      onEvents: (batch) => this.#take(batch),
    });
  }

  #take(batch: MessageEvent<string>[]) {
    this.#onSeen(batch.length);
    const { q } = this.#wanted;
    const found = q ? batch.filter(({ data }) => matches(data, q)) : batch;
    if (found.length === 0) return;
    this.#arrived += found.length;
    const rows = found.slice(-KEPT).map(({ data }) => rowOfMessage(data));
    this.#incoming = [...rows.reverse(), ...this.#incoming].slice(0, KEPT);
    const due = this.#applied + PACE_MS - performance.now();
    if (due <= 0) this.#apply();
    else this.#pace ??= setTimeout(() => this.#apply(), due);
  }

  #apply() {
    clearTimeout(this.#pace);
    this.#pace = undefined;
    this.#applied = performance.now();
    const [incoming, arrived] = [this.#incoming, this.#arrived];
    this.#incoming = [];
    this.#arrived = 0;
    this.total += arrived;
    if (this.#reading) {
      this.waiting += arrived;
      this.#held = [...incoming, ...this.#held].slice(0, KEPT);
    } else {
      const gap = arrived > incoming.length;
      this.rows = this.#trimmed(gap ? incoming : [...incoming, ...this.rows]);
      this.hasOlder ||= gap;
    }
  }

  #trimmed(rows: Row[]): Row[] {
    if (rows.length <= KEPT) return rows;
    this.hasOlder = true;
    return rows.slice(0, KEPT);
  }
}
