// A live list with new items at its head. Updates are held while the user reads, and the number of items is bounded.
import { tick } from 'svelte';
import { Stream, type StreamState } from './stream.svelte';

const PAGE = 100;
/** The list is updated at most this often. */
const UPDATE_INTERVAL_MS = 150;

/** Items, newest first, and the cursor of older ones if there are any. A page of a search may be empty and have a cursor. */
export type FeedPage<T> = { items: T[]; next: string | undefined };

export type FeedOptions<T extends { id: string }> = {
  /** A page of up to `limit` items after a cursor. The id of an item is a cursor. */
  read: (limit: number, after: string | undefined) => Promise<FeedPage<T>>;
  /** The URL of the stream that continues after the newest item of the first page, unless no more can come. Repeated items are dropped. */
  stream: (newest: T | undefined) => string | undefined;
  parse: (json: string) => T;
  /** The maximum number of items while new ones arrive. */
  capacity: number;
};

export class Feed<T extends { id: string }> {
  items = $state.raw<T[]>([]);
  /** The number of new items held while the user reads. */
  pending = $state(0);
  loading = $state(true);
  loadingOlder = $state(false);
  hasOlder = $state(false);
  error = $state.raw<unknown>();

  #options: FeedOptions<T>;
  /** The cursor of older items. Undefined: that of the last item. */
  #next: string | undefined;
  #stream = $state.raw<Stream>();
  #closed = false;
  #firstPage = new Set<string>();
  #holding = false;
  #held: T[] = [];
  #incoming: T[] = [];
  #arrived = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #appliedAt = 0;

  constructor(options: FeedOptions<T>) {
    this.#options = options;
    void this.load();
  }

  get live(): StreamState {
    return this.#stream?.state ?? 'connecting';
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.close();
  }

  async load() {
    this.loading = true;
    this.error = undefined;
    try {
      const { items, next } = await this.#options.read(PAGE, undefined);
      if (this.#closed) return;
      this.#next = next;
      this.items = items;
      this.#firstPage = new Set(items.map(({ id }) => id));
      this.hasOlder = next !== undefined;
      this.#follow();
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }

  async older() {
    const after = this.#next ?? this.items.at(-1)?.id;
    if (!after || this.loadingOlder || !this.hasOlder) return;
    this.loadingOlder = true;
    this.error = undefined;
    try {
      const { items, next } = await this.#options.read(PAGE, after);
      this.#next = next;
      const known = new Set(this.items.map(({ id }) => id));
      this.items = [...this.items, ...items.filter(({ id }) => !known.has(id))];
      this.hasOlder = next !== undefined;
    } catch (error) {
      this.error = error;
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Holds new items while the user reads. */
  hold(held: boolean) {
    this.#holding = held;
    if (!held) this.showPending();
  }

  showPending() {
    if (this.pending === 0) return;
    // If more items arrived than were held, the ones between are loaded by paging.
    const gap = this.pending > this.#held.length;
    this.#prepend(this.#held, gap);
    this.#held = [];
    this.pending = 0;
  }

  remove(id: string) {
    this.items = this.items.filter((item) => item.id !== id);
    this.#held = this.#held.filter((item) => item.id !== id);
  }

  clear() {
    this.items = [];
    this.#held = [];
    this.pending = 0;
    this.hasOlder = false;
  }

  #follow() {
    this.#stream?.close();
    const url = this.#options.stream(this.items[0]);
    if (url === undefined) return;
    this.#stream = new Stream({
      url,
      event: 'message',
      resume: 'last_event_id',
      onEvents: (batch) => this.#receive(batch.filter(({ lastEventId }) => !this.#firstPage.has(lastEventId))),
    });
  }

  #receive(batch: MessageEvent<string>[]) {
    const { parse, capacity } = this.#options;
    if (batch.length === 0) return;
    this.#arrived += batch.length;
    const newest = batch.slice(-capacity).map(({ data }) => parse(data));
    this.#incoming = [...newest.reverse(), ...this.#incoming].slice(0, capacity);
    const delay = this.#appliedAt + UPDATE_INTERVAL_MS - performance.now();
    if (delay <= 0) this.#apply();
    else this.#timer ??= setTimeout(() => this.#apply(), delay);
  }

  #apply() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#appliedAt = performance.now();
    const [incoming, arrived] = [this.#incoming, this.#arrived];
    this.#incoming = [];
    this.#arrived = 0;
    if (this.#holding) {
      this.pending += arrived;
      this.#held = [...incoming, ...this.#held].slice(0, this.#options.capacity);
      return;
    }
    const gap = arrived > incoming.length;
    this.#prepend(incoming, gap);
  }

  #prepend(newest: T[], gap: boolean) {
    this.items = gap ? newest : [...newest, ...this.items];
    if (gap) this.#continueAfterLast();
    // The list first shows the new items, so that it knows where they are.
    void tick().then(() => this.#trim());
  }

  #continueAfterLast() {
    this.hasOlder = true;
    this.#next = undefined;
  }

  #trim() {
    if (this.items.length <= this.#options.capacity) return;
    this.#continueAfterLast();
    this.items = this.items.slice(0, this.#options.capacity);
  }
}
