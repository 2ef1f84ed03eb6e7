// Server-sent events. Hidden pages hold no connection, and visible windows share a limited number of connections.
import { api } from '../api/client';
import { Permit } from './permit';

const HIDDEN_GRACE_MS = 10_000;
/** Backoff after a rejected connection. It doubles with each attempt. */
const MIN_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/** Permits for the streams of all windows, besides the shared ones. The remaining connections are for requests. */
const PERMITS = ['sluice-stream-1', 'sluice-stream-2', 'sluice-stream-3'];

/** Standby: other windows hold all permits. */
export type StreamState = 'connecting' | 'live' | 'waiting' | 'closed' | 'standby';

/** Messages between the window that holds a shared stream and the others. */
type RelayMessage = { state: StreamState } | { data: string } | 'get state';

export type StreamOptions = {
  url: string;
  /** The name of the events. */
  event: string;
  /** Called with all events since the last frame, oldest first. */
  onEvents: (batch: MessageEvent<string>[]) => void;
  /** The query parameter for the id of the last event. */
  resume?: 'last_event_id';
  /** The name of a stream that all windows share: one window holds it and relays to the others. */
  shared?: string;
  /** The stream was opened or reopened. Earlier events are not sent. */
  onOpen?: () => void;
  /** The connection of a visible page was lost or could not be restored. */
  onLost?: () => void;
};

function isLost(state: StreamState): boolean {
  return state === 'waiting' || state === 'closed';
}

/** A stream that pauses while the page is hidden, resumes where it stopped, and delivers events once per frame. */
export class Stream {
  state = $state<StreamState>('connecting');
  #options: StreamOptions;
  #source: EventSource | undefined;
  #permit: Permit | undefined;
  #relay: BroadcastChannel | undefined;
  #batch: MessageEvent<string>[] = [];
  #frame = 0;
  #hideTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #backoffMs = MIN_BACKOFF_MS;
  #lastId = '';

  constructor(options: StreamOptions) {
    this.#options = options;
    if (options.shared) {
      this.#relay = new BroadcastChannel(options.shared);
      this.#relay.addEventListener('message', this.#onRelay);
    }
    addEventListener('focus', this.#focus);
    document.addEventListener('visibilitychange', this.#visibility);
    this.#open();
    // A page may be opened in a background tab.
    this.#visibility();
  }

  close() {
    removeEventListener('focus', this.#focus);
    document.removeEventListener('visibilitychange', this.#visibility);
    clearTimeout(this.#hideTimer);
    this.#disconnect();
    this.#relay?.close();
    this.state = 'closed';
  }

  #open() {
    const { shared } = this.#options;
    this.#permit = new Permit({
      names: shared ? [shared] : PERMITS,
      steal: !shared && document.hasFocus(),
      onAcquired: () => this.#connect(),
      onWaiting: () => {
        this.#source?.close();
        this.#source = undefined;
        if (shared) this.#post('get state');
        else this.state = 'standby';
      },
    });
  }

  #connect() {
    const url = new URL(this.#options.url, location.origin);
    if (this.#options.resume && this.#lastId) url.searchParams.set(this.#options.resume, this.#lastId);
    const source = new EventSource(url);
    source.addEventListener('open', () => {
      this.#backoffMs = MIN_BACKOFF_MS;
      this.#setState('live');
    });
    source.addEventListener('error', () => {
      // Browsers reconnect by themselves, except after an error response.
      const rejected = source.readyState === EventSource.CLOSED;
      this.#setState(rejected ? 'closed' : 'waiting');
      if (rejected) this.#retryLater();
    });
    source.addEventListener(this.#options.event, (event) => {
      this.#post({ data: event.data });
      this.#enqueue(event);
    });
    this.#source = source;
    // Other windows learn that the stream is being reopened: they miss events until it is live.
    this.#setState('connecting');
  }

  #setState(state: StreamState) {
    this.state = state;
    if (this.#source) this.#post({ state });
    if (state === 'live') this.#options.onOpen?.();
    else if (isLost(state)) this.#options.onLost?.();
  }

  #post(message: RelayMessage) {
    this.#relay?.postMessage(message);
  }

  #onRelay = ({ data: message }: MessageEvent<RelayMessage>) => {
    if (this.#source) {
      if (message === 'get state') this.#post({ state: this.state });
    } else if (this.#permit && typeof message === 'object') {
      if ('data' in message) this.#enqueue(new MessageEvent(this.#options.event, message));
      else if (message.state !== this.state || isLost(message.state)) this.#setState(message.state);
    }
  };

  #retryLater() {
    this.#disconnect();
    // `EventSource` hides the status. This request detects a session that has ended.
    void api.GET('/v1/users/me').catch(() => {});
    this.#retryTimer = setTimeout(() => this.#open(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }

  #disconnect() {
    clearTimeout(this.#retryTimer);
    this.#permit?.release();
    this.#permit = undefined;
    this.#source?.close();
    this.#source = undefined;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#batch = [];
  }

  #enqueue(event: MessageEvent<string>) {
    this.#batch.push(event);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const batch = this.#batch;
      this.#batch = [];
      this.#lastId = batch.at(-1)?.lastEventId ?? this.#lastId;
      this.#options.onEvents(batch);
    });
  }

  /** The focused window takes a permit from another one. */
  #focus = () => {
    if (this.state === 'standby') this.#permit?.steal();
  };

  #visibility = () => {
    clearTimeout(this.#hideTimer);
    if (document.hidden) {
      this.#hideTimer = setTimeout(() => {
        this.#disconnect();
        this.state = 'waiting';
      }, HIDDEN_GRACE_MS);
    } else if (!this.#permit) {
      clearTimeout(this.#retryTimer);
      this.state = 'connecting';
      this.#open();
    }
  };
}
