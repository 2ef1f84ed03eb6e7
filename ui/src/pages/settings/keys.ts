// Named API keys and sessions of the current user.
import { api, body } from '../../api/client';
import { pagedQuery } from '../../api/pages';

export const KEYS_KEY = ['users', 'keys'] as const;
export const SESSIONS_KEY = ['users', 'sessions'] as const;

export function keysQuery() {
  return pagedQuery(KEYS_KEY, (page) => body(api.GET('/v1/users/me/keys', { params: { query: page } })));
}

export function sessionsQuery() {
  return pagedQuery(SESSIONS_KEY, (page) => body(api.GET('/v1/users/me/sessions', { params: { query: page } })));
}
