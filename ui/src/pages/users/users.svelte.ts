// The users of the server, and API keys that are shown once.
import type { QueryClient } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import { pagedQuery } from '../../api/pages';
import type { ListedUser } from '../../api/types';
import { confirm } from '../../parts/confirmation.svelte';
import { attempt } from '../../parts/toasts.svelte';
import { currentSession, signIn } from '../../shell/session.svelte';

const USERS_KEY = ['users', 'listed'] as const;

/** The users whose name or email contains the text. */
export function usersQuery(q: string | undefined) {
  return pagedQuery([...USERS_KEY, q ?? ''], (page) =>
    body(api.GET('/v1/users', { params: { query: { ...page, q: q || undefined } } })),
  );
}

export function refreshUsers(client: QueryClient) {
  return client.invalidateQueries({ queryKey: USERS_KEY });
}

export type NewKey = { username: string; key: string; owner: 'new user' | 'other user' | 'self' };

// Kept outside the page: rotating one's own key ends the session for a moment, which unmounts the page.
let shown = $state<NewKey | undefined>();

export function shownKey(): NewKey | undefined {
  return shown;
}

export function showKey(key: NewKey | undefined) {
  shown = key;
}

export async function rotateKey({ id, username }: ListedUser) {
  const note = 'The current key stops working immediately, and the user is signed out of the console.';
  if (!(await confirm(`Rotate key of ${username}?`, note, 'Rotate key'))) return;
  await attempt(async () => {
    const { api_key } = await data(api.POST('/v1/users/{id}/rotate_key', { params: { path: { id } } }));
    showKey({ username, key: api_key, owner: 'other user' });
  });
}

export async function rotateOwnKey(client: QueryClient) {
  const { username } = currentSession().user;
  const note =
    'Your current key stops working immediately, including on the command line. Other browsers are signed out. You stay signed in here.';
  if (!(await confirm('Rotate your key?', note, 'Rotate key'))) return;
  await attempt(async () => {
    const { api_key } = await data(api.POST('/v1/users/me/rotate_key'));
    // The rotation has ended all sessions of the old key, including this one. The key is shown in any case, and after signing in,
    // so that a reload keeps the new session.
    try {
      await signIn(api_key);
    } finally {
      showKey({ username, key: api_key, owner: 'self' });
    }
    await client.invalidateQueries();
  });
}

export async function deleteUser(client: QueryClient, { id, username }: ListedUser) {
  const note =
    'This also deletes the webhooks, accounts and data stores of the user. Sources and workflows must be deleted first.';
  if (!(await confirm(`Delete ${username}?`, note, 'Delete user'))) return;
  await attempt(async () => {
    await body(api.DELETE('/v1/users/{id}', { params: { path: { id } } }));
    await refreshUsers(client);
  }, `${username} deleted`);
}
