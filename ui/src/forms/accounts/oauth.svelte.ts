// Connecting an account in a pop-up: the provider asks there, and the server tells when it has agreed.
import { api, data } from '../../api/client';
import type { Account, App } from '../../api/types';

const GLANCE_MS = 1_000;
const FEATURES = 'popup,width=620,height=760';

export type OauthState =
  | { kind: 'idle' }
  | { kind: 'starting' }
  | { kind: 'waiting'; url: string; window: 'open' | 'blocked' | 'closed' }
  | { kind: 'failed'; reason: string };

export class OauthConnection {
  state = $state.raw<OauthState>({ kind: 'idle' });
  #popup: Window | null = null;
  #turn = 0;
  #done: (account: Account) => void;

  constructor(done: (account: Account) => void) {
    this.#done = done;
  }

  /** Must be called by a click: browsers let nothing else open a window. */
  async begin(app: App, name: string | undefined, account: Account | undefined) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#popup = window.open('about:blank', '_blank', FEATURES);
    // The provider's page must not reach back into this one.
    if (this.#popup) this.#popup.opener = null;
    this.state = { kind: 'starting' };
    try {
      const request = { app: app.name_slug, name, account_id: account?.id };
      const begun = await data(api.POST('/v1/accounts/connect', { body: request }));
      const url = begun.connect_url;
      if (turn !== this.#turn) return this.#popup?.close();
      if (!url) throw new Error('The server gave no address to open.');
      if (this.#popup) this.#popup.location.href = url;
      this.state = { kind: 'waiting', url, window: this.#popup ? 'open' : 'blocked' };
      await this.#watch(begun.id, turn);
    } catch (error) {
      this.#popup?.close();
      if (turn === this.#turn)
        this.state = { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Opens the address again that was blocked or closed; by a click, too. */
  openAgain() {
    if (this.state.kind !== 'waiting') return;
    this.#popup = window.open(this.state.url, '_blank', FEATURES);
    this.state = { ...this.state, window: this.#popup ? 'open' : 'blocked' };
  }

  cancel() {
    this.#turn += 1;
    this.#popup?.close();
    this.state = { kind: 'idle' };
  }

  async #watch(id: string, turn: number) {
    while (turn === this.#turn) {
      // The order matters: who agrees and closes the window at once has agreed.
      const closed = this.#popup?.closed ?? false;
      const now = await data(api.GET('/v1/accounts/connect/{id}', { params: { path: { id } } }));
      if (turn !== this.#turn) return;
      if (now.status === 'connected' && now.account_id) return this.#finish(now.account_id);
      if (now.status === 'failed') throw new Error(now.error ?? 'The provider refused.');
      if (now.status === 'expired') throw new Error('It took too long. Begin again.');
      if (closed && this.state.kind === 'waiting' && this.state.window === 'open') {
        this.state = { ...this.state, window: 'closed' };
      }
      await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
    }
  }

  async #finish(id: string) {
    this.#popup?.close();
    const account = await data(api.GET('/v1/accounts/{id}', { params: { path: { id } } }));
    this.state = { kind: 'idle' };
    this.#done(account);
  }
}
