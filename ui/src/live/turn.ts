// Browsers give a site six connections for all of its windows together, and a stream keeps one for itself. So windows
// take turns: whoever has a place follows a stream, and the others wait for one. Nobody has to give a place back: it is
// free when its window is closed.

export type TurnOptions = {
  /** The names of the places, of which one is enough. */
  places: readonly string[];
  /** Whether to take a place from another window where none is free. */
  urgent: boolean;
  begin: () => void;
  /** There is no place, or another window took it: it begins when one is free. */
  rest: () => void;
};

export class Turn {
  #options: TurnOptions;
  #release: (() => void) | undefined;
  #ended = false;
  #waiting = new AbortController();

  constructor(options: TurnOptions) {
    this.#options = options;
    // Pages of a host without TLS have no locks; there each window is on its own.
    if ('locks' in navigator) void this.#find(options.urgent);
    else options.begin();
  }

  /** Takes a place from another window. */
  insist() {
    if (!this.#release && !this.#ended) void this.#find(true);
  }

  end() {
    this.#ended = true;
    this.#waiting.abort();
    this.#release?.();
  }

  async #find(urgent: boolean) {
    const { places } = this.#options;
    for (const place of places) if (await this.#ask(place, { ifAvailable: true })) return;
    if (this.#ended) return;
    const anyOfThem = places[Math.floor(Math.random() * places.length)];
    if (urgent && anyOfThem) void this.#ask(anyOfThem, { steal: true });
    else this.#wait();
  }

  #wait() {
    this.#options.rest();
    this.#waiting.abort();
    this.#waiting = new AbortController();
    for (const place of this.#options.places) void this.#ask(place, { signal: this.#waiting.signal });
  }

  /** Tells whether this got the place. */
  #ask(place: string, how: LockOptions): Promise<boolean> {
    return new Promise((settled) => {
      let has = false;
      const take = (lock: Lock | null) => {
        has = lock !== null && !this.#ended && !this.#release;
        settled(has);
        if (!has) return undefined;
        const kept = new Promise<void>((release) => {
          this.#release = release;
        });
        this.#waiting.abort();
        this.#options.begin();
        return kept;
      };
      // It is refused when waiting is given up, and when another window takes the place.
      navigator.locks.request(place, how, take).catch(() => {
        settled(false);
        if (!has || this.#ended) return;
        this.#release = undefined;
        this.#wait();
      });
    });
  }
}
