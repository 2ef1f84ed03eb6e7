// Following server-sent events. A page that nobody sees holds no connection: browsers give a site only six.

const HIDDEN_GRACE_MS = 10_000;

export type StreamState = 'connecting' | 'live' | 'waiting' | 'closed';

export type StreamOptions = {
  /** The address to follow. */
  url: string;
  /** The name of the events to take. */
  event: string;
  /** All events that came since the last picture was drawn, oldest first. */
  onEvents: (batch: MessageEvent<string>[]) => void;
  /** The name of the parameter that takes the id of the last event that was seen. */
  resume?: 'last_event_id';
};

/** A stream that pauses with the page, goes on where it was, and hands out what came once for each frame. */
export class Stream {
  state = $state<StreamState>('connecting');
  #options: StreamOptions;
  #source: EventSource | undefined;
  #batch: MessageEvent<string>[] = [];
  #frame = 0;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #lastId = '';

  constructor(options: StreamOptions) {
    this.#options = options;
    document.addEventListener('visibilitychange', this.#visibility);
    this.#open();
  }

  close() {
    document.removeEventListener('visibilitychange', this.#visibility);
    clearTimeout(this.#hiding);
    this.#shut();
    this.state = 'closed';
  }

  #open() {
    const url = new URL(this.#options.url, location.origin);
    if (this.#options.resume && this.#lastId) url.searchParams.set(this.#options.resume, this.#lastId);
    const source = new EventSource(url);
    source.addEventListener('open', () => {
      this.state = 'live';
    });
    source.addEventListener('error', () => {
      this.state = source.readyState === EventSource.CLOSED ? 'closed' : 'waiting';
    });
    source.addEventListener(this.#options.event, (event) => this.#take(event));
    this.#source = source;
  }

  #shut() {
    this.#source?.close();
    this.#source = undefined;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#batch = [];
  }

  #take(event: MessageEvent<string>) {
    this.#batch.push(event);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const batch = this.#batch;
      this.#batch = [];
      this.#lastId = batch.at(-1)?.lastEventId ?? this.#lastId;
      this.#options.onEvents(batch);
    });
  }

  #visibility = () => {
    clearTimeout(this.#hiding);
    if (document.hidden) {
      this.#hiding = setTimeout(() => {
        this.#shut();
        this.state = 'waiting';
      }, HIDDEN_GRACE_MS);
    } else if (!this.#source) {
      this.state = 'connecting';
      this.#open();
    }
  };
}
