// Permits for streams. A browser allows six connections to a site for all windows together, and each stream occupies
// one. Windows therefore share a few permits, held as Web Locks. The browser releases a lock when its window closes.

export type PermitOptions = {
  /** The names of the permits. One of them is enough. */
  names: readonly string[];
  /** Take a permit from another window if none is free. */
  steal: boolean;
  onAcquired: () => void;
  /** No permit is free, or another window took this one. It is acquired when one becomes free. */
  onWaiting: () => void;
};

export class Permit {
  #options: PermitOptions;
  #releaseLock: (() => void) | undefined;
  #released = false;
  #waiting = new AbortController();

  constructor(options: PermitOptions) {
    this.#options = options;
    // Without TLS, browsers offer locks only on loopback. Elsewhere each window connects on its own.
    if ('locks' in navigator) void this.#acquire(options.steal);
    else options.onAcquired();
  }

  /** Takes a permit from another window. */
  steal() {
    if (!this.#releaseLock && !this.#released) void this.#acquire(true);
  }

  release() {
    this.#released = true;
    this.#waiting.abort();
    this.#releaseLock?.();
  }

  async #acquire(steal: boolean) {
    const { names } = this.#options;
    for (const name of names) if (await this.#request(name, { ifAvailable: true })) return;
    if (this.#released) return;
    const anyName = names[Math.floor(Math.random() * names.length)];
    if (steal && anyName) void this.#request(anyName, { steal: true });
    else this.#wait();
  }

  #wait() {
    this.#options.onWaiting();
    this.#waiting.abort();
    this.#waiting = new AbortController();
    for (const name of this.#options.names) void this.#request(name, { signal: this.#waiting.signal });
  }

  /** Returns whether the permit was acquired. */
  #request(name: string, options: LockOptions): Promise<boolean> {
    return new Promise((settle) => {
      let acquired = false;
      const onLock = (lock: Lock | null) => {
        acquired = lock !== null && !this.#released && !this.#releaseLock;
        settle(acquired);
        if (!acquired) return undefined;
        const held = new Promise<void>((release) => {
          this.#releaseLock = release;
        });
        this.#waiting.abort();
        this.#options.onAcquired();
        return held;
      };
      // The promise is rejected when waiting is aborted and when another window steals the lock.
      navigator.locks.request(name, options, onLock).catch(() => {
        settle(false);
        if (!acquired || this.#released) return;
        this.#releaseLock = undefined;
        this.#wait();
      });
    });
  }
}
