// The accounts of the person signed in.
import { api, body } from '../../api/client';
import type { Account } from '../../api/types';

const PAGE = 100;

export function page(after: string | undefined) {
  return body(api.GET('/v1/accounts', { params: { query: { limit: PAGE, after } } }));
}

export function health(account: Account): { tone: 'good' | 'warn' | 'bad'; words: string } {
  if (account.dead) return { tone: 'bad', words: 'Connect again' };
  return account.healthy ? { tone: 'good', words: 'Healthy' } : { tone: 'warn', words: 'May not work' };
}
