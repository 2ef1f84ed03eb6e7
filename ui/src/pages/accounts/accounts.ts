// The accounts of the person signed in, and what uses them.
import { api, body } from '../../api/client';
import type { Account, Source } from '../../api/types';
import { isRecord } from '../../forms/prop';

const PAGE = 100;
/** Sources that are looked through for the accounts they use. */
const MOST_SOURCES = 1_000;

export type Use = { id: string; name: string };
export type Uses = { by: Map<string, Use[]>; complete: boolean };

export function page(after: string | undefined) {
  return body(api.GET('/v1/accounts', { params: { query: { limit: PAGE, after } } }));
}

/** Which sources name which accounts; `complete` is false when there are too many sources to tell. */
export async function uses(): Promise<Uses> {
  const by = new Map<string, Use[]>();
  let after: string | undefined;
  let seen = 0;
  for (;;) {
    const query = { limit: PAGE, after, include: 'id,name,configured_props' };
    const { data, page_info } = await body(api.GET('/v1/users/me/sources', { params: { query } }));
    for (const source of data) {
      for (const account of accountsOf(source))
        by.set(account, [...(by.get(account) ?? []), { id: source.id, name: source.name }]);
    }
    seen += data.length;
    const all = data.length === 0 || seen >= page_info.total_count;
    if (all || seen >= MOST_SOURCES) return { by, complete: all };
    after = page_info.end_cursor ?? undefined;
  }
}

function accountsOf(source: Source): string[] {
  const values = Object.values(source.configured_props ?? {});
  return values.flatMap((value) =>
    isRecord(value) && typeof value.authProvisionId === 'string' ? [value.authProvisionId] : [],
  );
}

export function health(account: Account): { tone: 'good' | 'warn' | 'bad'; words: string } {
  if (account.dead) return { tone: 'bad', words: 'Connect again' };
  return account.healthy ? { tone: 'good', words: 'Healthy' } : { tone: 'warn', words: 'May not work' };
}
