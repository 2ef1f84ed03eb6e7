// The current session. Scripts cannot read the cookie, so the server is asked whose session it is.
import { api, data, onSignedOut } from '../api/client';
import { ApiError } from '../api/errors';
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

/** The session, for pages behind the sign-in. */
export function currentSession(): Session {
  if (state.kind !== 'in') throw new Error('not signed in');
  return state.session;
}

/** Shows new values of the user of the session, after a change. */
export function setSessionUser({ username, email, plan, operator }: Omit<Session['user'], 'id'>) {
  const session = currentSession();
  state = { kind: 'in', session: { ...session, user: { ...session.user, username, email, plan, operator } } };
}

export async function restoreSession() {
  state = { kind: 'unknown' };
  try {
    state = { kind: 'in', session: await data(api.GET('/v1/session')) };
  } catch (error) {
    const signedOut = error instanceof ApiError && error.status === 401;
    state = signedOut ? { kind: 'out' } : { kind: 'unreachable', message: (error as Error).message };
  }
}

export async function signIn(apiKey: string) {
  const params = { header: { 'x-sluice-console': '1' } };
  const session = await data(api.POST('/v1/session', { params, body: { api_key: apiKey } }));
  state = { kind: 'in', session };
}

export async function signOut() {
  const { response } = await api.DELETE('/v1/session');
  // A 401 means that the session has already ended.
  if (!response.ok && response.status !== 401) throw new Error(`The server answered ${response.status}.`);
  clear();
}

function clear() {
  queries.clear();
  state = { kind: 'out' };
}

onSignedOut(clear);
