// The accounts of the signed-in user.
import { api, body } from '../../api/client';
import type { Account } from '../../api/types';

const PAGE = 100;

/** A page of the accounts of one app, or of all. */
export function page(app: string | undefined, after: string | undefined) {
  return body(api.GET('/v1/accounts', { params: { query: { app, limit: PAGE, after } } }));
}

export function health(account: Account): { tone: 'good' | 'warn' | 'bad'; text: string } {
  if (account.dead) return { tone: 'bad', text: 'Reconnect required' };
  return account.healthy ? { tone: 'good', text: 'Healthy' } : { tone: 'warn', text: 'Unhealthy' };
}
