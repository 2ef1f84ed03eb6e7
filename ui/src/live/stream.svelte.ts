// Following server-sent events. A page that nobody sees holds no connection, and those that are seen take turns.
import { api } from '../api/client';
import { Turn } from './turn';

const HIDDEN_GRACE_MS = 10_000;
/** After a refusal it is tried again after this long, and each time after twice as long, up to the other. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** As many streams as all windows follow at once, beside those that they share. The other connections are for requests. */
const PLACES = ['sluice-stream-1', 'sluice-stream-2', 'sluice-stream-3'];

/** Resting: as many other windows as may be are live. */
export type StreamState = 'connecting' | 'live' | 'waiting' | 'closed' | 'resting';

/** What a window that follows a shared stream tells the others, and what they ask it. */
type Relayed = { state: StreamState } | { data: string } | 'how is it?';

export type StreamOptions = {
  /** The address to follow. */
  url: string;
  /** The name of the events to take. */
  event: string;
  /** All events that came since the last picture was drawn, oldest first. */
  onEvents: (batch: MessageEvent<string>[]) => void;
  /** The name of the parameter that takes the id of the last event that was seen. */
  resume?: 'last_event_id';
  /** All windows follow the same stream: the one that has it tells the others, by this name. */
  shared?: string;
  /** It is open, for the first time or again: what happened before is not told. */
  onOpen?: () => void;
  /** It was broken off while somebody looked, or could not be had again: a server that ends answers for a while still. */
  onLost?: () => void;
};

function isLost(state: StreamState): boolean {
  return state === 'waiting' || state === 'closed';
}

/** A stream that pauses with the page, goes on where it was, and hands out what came once for each frame. */
export class Stream {
  state = $state<StreamState>('connecting');
  #options: StreamOptions;
  #source: EventSource | undefined;
  #turn: Turn | undefined;
  #relay: BroadcastChannel | undefined;
  #batch: MessageEvent<string>[] = [];
  #frame = 0;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #lastId = '';

  constructor(options: StreamOptions) {
    this.#options = options;
    if (options.shared) {
      this.#relay = new BroadcastChannel(options.shared);
      this.#relay.addEventListener('message', this.#heard);
    }
    addEventListener('focus', this.#focus);
    document.addEventListener('visibilitychange', this.#visibility);
    this.#open();
    // A page may begin in a tab that nobody looks at.
    this.#visibility();
  }

  close() {
    removeEventListener('focus', this.#focus);
    document.removeEventListener('visibilitychange', this.#visibility);
    clearTimeout(this.#hiding);
    this.#shut();
    this.#relay?.close();
    this.state = 'closed';
  }

  #open() {
    const { shared } = this.#options;
    this.#turn = new Turn({
      places: shared ? [shared] : PLACES,
      urgent: !shared && document.hasFocus(),
      begin: () => this.#connect(),
      rest: () => {
        this.#source?.close();
        this.#source = undefined;
        if (shared) this.#tell('how is it?');
        else this.state = 'resting';
      },
    });
  }

  #connect() {
    const url = new URL(this.#options.url, location.origin);
    if (this.#options.resume && this.#lastId) url.searchParams.set(this.#options.resume, this.#lastId);
    const source = new EventSource(url);
    source.addEventListener('open', () => {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#become('live');
    });
    source.addEventListener('error', () => {
      // Browsers try again by themselves, unless they were answered with a refusal.
      const refused = source.readyState === EventSource.CLOSED;
      this.#become(refused ? 'closed' : 'waiting');
      if (refused) this.#refused();
    });
    source.addEventListener(this.#options.event, (event) => {
      this.#tell({ data: event.data });
      this.#take(event);
    });
    this.#source = source;
    // What happened since another window lost it, if one had it, is not told to any of them.
    this.#become('connecting');
  }

  #become(state: StreamState) {
    this.state = state;
    if (this.#source) this.#tell({ state });
    if (state === 'live') this.#options.onOpen?.();
    else if (isLost(state)) this.#options.onLost?.();
  }

  #tell(what: Relayed) {
    this.#relay?.postMessage(what);
  }

  #heard = ({ data: said }: MessageEvent<Relayed>) => {
    if (this.#source) {
      if (said === 'how is it?') this.#tell({ state: this.state });
    } else if (this.#turn && typeof said === 'object') {
      if ('data' in said) this.#take(new MessageEvent(this.#options.event, said));
      else if (said.state !== this.state || isLost(said.state)) this.#become(said.state);
    }
  };

  #refused() {
    this.#shut();
    // A stream does not tell why. Whoever is no longer signed in is shown so by what is asked here.
    void api.GET('/v1/users/me').catch(() => {});
    this.#pause = setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #shut() {
    clearTimeout(this.#pause);
    this.#turn?.end();
    this.#turn = undefined;
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

  /** The window that somebody uses is live, and another one rests. */
  #focus = () => {
    if (this.state === 'resting') this.#turn?.insist();
  };

  #visibility = () => {
    clearTimeout(this.#hiding);
    if (document.hidden) {
      this.#hiding = setTimeout(() => {
        this.#shut();
        this.state = 'waiting';
      }, HIDDEN_GRACE_MS);
    } else if (!this.#turn) {
      clearTimeout(this.#pause);
      this.state = 'connecting';
      this.#open();
    }
  };
}
