// A list that grows at its head as things happen. Nothing moves under the eyes of somebody who reads, and however many
// come, few are kept.
import { Stream, type StreamState } from './stream.svelte';

const PAGE = 100;
/** The list changes at most this often. */
const PACE_MS = 150;

export type FeedOptions<T extends { id: string }> = {
  /** A page of `limit` items, newest first: the newest, or those that come after one. */
  read: (limit: number, after: T | undefined) => Promise<T[]>;
  /** The stream that goes on where the first page was read, given the newest item of it. What it tells again is left out. */
  stream: (newest: T | undefined) => string;
  parse: (json: string) => T;
  /** Which items of the stream belong here; all, when it is left out. */
  wants?: (json: string) => boolean;
  /** How many items stay while new ones come. */
  kept: number;
};

export class Feed<T extends { id: string }> {
  items = $state.raw<T[]>([]);
  /** New ones that wait until nobody reads. */
  waiting = $state(0);
  loading = $state(true);
  loadingOlder = $state(false);
  hasOlder = $state(false);
  error = $state.raw<unknown>();

  #options: FeedOptions<T>;
  #stream = $state.raw<Stream>();
  #closed = false;
  #firstPage = new Set<string>();
  #reading = false;
  #held: T[] = [];
  #incoming: T[] = [];
  #arrived = 0;
  #pace: ReturnType<typeof setTimeout> | undefined;
  #applied = 0;

  constructor(options: FeedOptions<T>) {
    this.#options = options;
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
      const items = await this.#options.read(PAGE, undefined);
      if (this.#closed) return;
      this.items = items;
      this.#firstPage = new Set(items.map(({ id }) => id));
      this.hasOlder = items.length === PAGE;
      this.#follow();
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }

  async older() {
    const last = this.items.at(-1);
    if (!last || this.loadingOlder || !this.hasOlder) return;
    this.loadingOlder = true;
    this.error = undefined;
    try {
      const items = await this.#options.read(PAGE, last);
      const known = new Set(this.items.map(({ id }) => id));
      this.items = [...this.items, ...items.filter(({ id }) => !known.has(id))];
      this.hasOlder = items.length === PAGE;
    } catch (error) {
      this.error = error;
    } finally {
      this.loadingOlder = false;
    }
  }

  /** While somebody reads, new items wait. */
  read(reading: boolean) {
    this.#reading = reading;
    if (!reading) this.showWaiting();
  }

  showWaiting() {
    if (this.waiting === 0) return;
    // Of more than are held, those between are left for paging.
    const gap = this.waiting > this.#held.length;
    this.items = this.#trimmed(gap ? this.#held : [...this.#held, ...this.items]);
    this.hasOlder ||= gap;
    this.#held = [];
    this.waiting = 0;
  }

  forget(id: string) {
    this.items = this.items.filter((item) => item.id !== id);
    this.#held = this.#held.filter((item) => item.id !== id);
  }

  forgetAll() {
    this.items = [];
    this.#held = [];
    this.waiting = 0;
    this.hasOlder = false;
  }

  #follow() {
    this.#stream?.close();
    this.#stream = new Stream({
      url: this.#options.stream(this.items[0]),
      event: 'message',
      resume: 'last_event_id',
      onEvents: (batch) => this.#take(batch.filter(({ lastEventId }) => !this.#firstPage.has(lastEventId))),
    });
  }

  #take(batch: MessageEvent<string>[]) {
    const { parse, wants = () => true, kept } = this.#options;
    const wanted = batch.map(({ data }) => data).filter(wants);
    if (wanted.length === 0) return;
    this.#arrived += wanted.length;
    this.#incoming = [...wanted.slice(-kept).map(parse).reverse(), ...this.#incoming].slice(0, kept);
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
    if (this.#reading) {
      this.waiting += arrived;
      this.#held = [...incoming, ...this.#held].slice(0, this.#options.kept);
      return;
    }
    const gap = arrived > incoming.length;
    this.items = this.#trimmed(gap ? incoming : [...incoming, ...this.items]);
    this.hasOlder ||= gap;
  }

  #trimmed(items: T[]): T[] {
    if (items.length <= this.#options.kept) return items;
    this.hasOlder = true;
    return items.slice(0, this.#options.kept);
  }
}
