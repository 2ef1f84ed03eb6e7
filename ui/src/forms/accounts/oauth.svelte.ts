// Connects an account with OAuth in a pop-up. The server reports when the provider has granted access.
import { api, data } from '../../api/client';
import type { Account, ConnectionErrorCode, ConnectRequest } from '../../api/types';
import { authorize } from './authorize';

const POLL_MS = 1_000;
const FEATURES = 'popup,width=620,height=760';

export type OauthState =
  | { kind: 'idle' }
  | { kind: 'starting' }
  | { kind: 'waiting'; url: string; window: 'open' | 'blocked' | 'closed' }
  | { kind: 'failed'; error: unknown };

/** The provider rejected the authorization. */
export class ProviderError extends Error {
  constructor(
    message: string,
    readonly code: ConnectionErrorCode | undefined,
  ) {
    super(message);
  }
}

export class OauthConnection {
  state = $state.raw<OauthState>({ kind: 'idle' });
  #popup: Window | null = null;
  #attempt = 0;
  #done: (account: Account) => void;

  constructor(done: (account: Account) => void) {
    this.#done = done;
  }

  /** Call it in a click handler: otherwise browsers block the pop-up. */
  async start(request: ConnectRequest) {
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#popup = window.open('about:blank', '_blank', FEATURES);
    // The page of the provider must not access this one.
    if (this.#popup) this.#popup.opener = null;
    this.state = { kind: 'starting' };
    try {
      const started = await data(api.POST('/v1/accounts/connect', { body: request }));
      const url = await authorize(started.id);
      if (attempt !== this.#attempt) return this.#popup?.close();
      if (this.#popup) this.#popup.location.href = url;
      this.state = { kind: 'waiting', url, window: this.#popup ? 'open' : 'blocked' };
      await this.#watch(started.id, attempt);
    } catch (error) {
      this.#popup?.close();
      if (attempt === this.#attempt) this.state = { kind: 'failed', error };
    }
  }

  /** Opens the pop-up again after it was blocked or closed. Call it in a click handler. */
  reopen() {
    if (this.state.kind !== 'waiting') return;
    this.#popup = window.open(this.state.url, '_blank', FEATURES);
    this.state = { ...this.state, window: this.#popup ? 'open' : 'blocked' };
  }

  get busy(): boolean {
    return this.state.kind === 'starting' || (this.state.kind === 'waiting' && this.state.window === 'open');
  }

  cancel() {
    this.#attempt += 1;
    this.#popup?.close();
    this.state = { kind: 'idle' };
  }

  async #watch(id: string, attempt: number) {
    while (attempt === this.#attempt) {
      // Read `closed` before the status: the user may grant access and close the window at once.
      const closed = this.#popup?.closed ?? false;
      const now = await data(api.GET('/v1/accounts/connect/{id}', { params: { path: { id } } }));
      if (attempt !== this.#attempt) return;
      if (now.status === 'connected' && now.account_id) return this.#finish(now.account_id);
      if (now.status === 'failed') {
        throw new ProviderError(now.error ?? 'The provider rejected the request.', now.error_code);
      }
      if (now.status === 'expired') throw new Error('The request expired. Try again.');
      if (closed && this.state.kind === 'waiting' && this.state.window === 'open') {
        this.state = { ...this.state, window: 'closed' };
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #finish(id: string) {
    this.#popup?.close();
    const account = await data(api.GET('/v1/accounts/{id}', { params: { path: { id } } }));
    this.state = { kind: 'idle' };
    this.#done(account);
  }
}
