// The users of the server, and the keys that are shown once.
import type { QueryClient } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import { inPages } from '../../api/pages';
import type { ListedUser } from '../../api/types';
import { confirm } from '../../parts/confirmation.svelte';
import { attempt } from '../../parts/toasts.svelte';
import { currentSession, signIn } from '../../shell/session.svelte';

const LISTED = ['users', 'listed'] as const;

/** The users with this in their name or e-mail. */
export function listing(q: string | undefined) {
  return inPages([...LISTED, q ?? ''], (page) =>
    body(api.GET('/v1/users', { params: { query: { ...page, q: q || undefined } } })),
  );
}

/** Asks anew for whatever is listed. */
export function listAnew(client: QueryClient) {
  return client.invalidateQueries({ queryKey: LISTED });
}

export type NewKey = { username: string; key: string; of: 'somebody new' | 'somebody else' | 'you' };

// Outside the page, because somebody who rotates their own key is signed out for a moment, and the page goes with it.
let shown = $state<NewKey | undefined>();

export function shownKey(): NewKey | undefined {
  return shown;
}

export function showKey(key: NewKey | undefined) {
  shown = key;
}

export async function rotateKey({ id, username }: ListedUser) {
  const note = 'The present key stops working at once, and the user is signed out of the console.';
  if (!(await confirm(`Rotate the key of ${username}?`, note, 'Rotate key'))) return;
  await attempt(async () => {
    const { api_key } = await data(api.POST('/v1/users/{id}/rotate_key', { params: { path: { id } } }));
    showKey({ username, key: api_key, of: 'somebody else' });
  });
}

export async function rotateOwnKey(client: QueryClient) {
  const { username } = currentSession().user;
  const note =
    'Your present key stops working at once, on the command line and wherever else it is used, and other browsers are signed out. You stay signed in here.';
  if (!(await confirm('Rotate your key?', note, 'Rotate key'))) return;
  await attempt(async () => {
    const { api_key } = await data(api.POST('/v1/users/me/rotate_key'));
    showKey({ username, key: api_key, of: 'you' });
    // This session has ended with the old key, like all the others.
    await signIn(api_key);
    await client.invalidateQueries();
  });
}

export async function deleteUser(client: QueryClient, { id, username }: ListedUser) {
  const note =
    'Webhooks, accounts, data stores and all else the user has go, too. Sources and workflows must be deleted before.';
  if (!(await confirm(`Delete ${username}?`, note, 'Delete user'))) return;
  await attempt(async () => {
    await body(api.DELETE('/v1/users/{id}', { params: { path: { id } } }));
    await listAnew(client);
  }, 'The user was deleted.');
}
