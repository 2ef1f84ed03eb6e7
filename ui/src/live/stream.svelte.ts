// Following server-sent events. A page that nobody sees holds no connection: browsers give a site only six.
import { api } from '../api/client';

const HIDDEN_GRACE_MS = 10_000;
/** After a refusal it is tried again after this long, and each time after twice as long, up to the other. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

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
  /** It is open, for the first time or again: what happened before is not told. */
  onOpen?: () => void;
  /** It was broken off while somebody looked. */
  onLost?: () => void;
};

/** A stream that pauses with the page, goes on where it was, and hands out what came once for each frame. */
export class Stream {
  state = $state<StreamState>('connecting');
  #options: StreamOptions;
  #source: EventSource | undefined;
  #batch: MessageEvent<string>[] = [];
  #frame = 0;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #lastId = '';

  constructor(options: StreamOptions) {
    this.#options = options;
    document.addEventListener('visibilitychange', this.#visibility);
    this.#open();
    // A page may begin in a tab that nobody looks at.
    this.#visibility();
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
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#options.onOpen?.();
    });
    source.addEventListener('error', () => {
      // It is told once, however often the browser tries.
      if (this.state === 'live') this.#options.onLost?.();
      // Browsers try again by themselves, unless they were answered with a refusal.
      if (source.readyState === EventSource.CLOSED) this.#refused();
      else this.state = 'waiting';
    });
    source.addEventListener(this.#options.event, (event) => this.#take(event));
    this.#source = source;
  }

  #refused() {
    this.#shut();
    this.state = 'closed';
    // A stream does not tell why. Whoever is no longer signed in is shown so by what is asked here.
    void api.GET('/v1/users/me').catch(() => {});
    this.#pause = setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #shut() {
    clearTimeout(this.#pause);
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
      clearTimeout(this.#pause);
      this.state = 'connecting';
      this.#open();
    }
  };
}
