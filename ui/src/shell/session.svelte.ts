// Who is signed in. The cookie is out of reach of scripts; the server tells who it belongs to.
import { ApiFailure, api, data, onSignedOut } from '../api/client';
import { queries } from '../api/queries';
import type { components } from '../api/schema';

export type Session = components['schemas']['Session'];
export type SessionState =
  | { kind: 'unknown' }
  | { kind: 'out' }
  | { kind: 'in'; session: Session }
  | { kind: 'unreachable'; message: string };

let state = $state<SessionState>({ kind: 'unknown' });

export function sessionState(): SessionState {
  return state;
}

/** The session of a page that only people who are signed in see. */
export function currentSession(): Session {
  if (state.kind !== 'in') throw new Error('nobody is signed in');
  return state.session;
}

export async function restoreSession() {
  state = { kind: 'unknown' };
  try {
    state = { kind: 'in', session: await data(api.GET('/v1/session')) };
  } catch (error) {
    const refused = error instanceof ApiFailure && error.status === 401;
    state = refused ? { kind: 'out' } : { kind: 'unreachable', message: (error as Error).message };
  }
}

export async function signIn(apiKey: string) {
  const session = await data(api.POST('/v1/session', { body: { api_key: apiKey } }));
  state = { kind: 'in', session };
}

export async function signOut() {
  const { response } = await api.DELETE('/v1/session');
  // Whoever is not signed in any more is what they want to be.
  if (!response.ok && response.status !== 401) throw new Error(`The server answered ${response.status}.`);
  forget();
}

function forget() {
  queries.clear();
  state = { kind: 'out' };
}

onSignedOut(forget);
