// Queries and URL filters of the audit log.
import { queryOptions } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import { param } from '../../parts/address.svelte';
import { bounds, readRange, type TimeRange } from '../../parts/time-range';

export const PAGE = 50;
const REFETCH_MS = 10_000;

export type Filter = {
  /** The account: one's own, all, or that of a user. */
  account: { scope: 'own' | 'all' } | { user: string };
  action: string | undefined;
  actor: string | undefined;
  target: string | undefined;
  q: string | undefined;
  range: TimeRange;
};
type Position = { after?: string; before?: string };

/** Parameters that remove all filters but the account. */
export const NO_FILTER = {
  action: undefined,
  actor: undefined,
  target: undefined,
  q: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
};

/** The filter in the URL. Operators see all accounts unless they choose one. */
export function filterFromUrl(operator: boolean): Filter {
  const user = param('user');
  const scope = operator && param('account') !== 'own' ? 'all' : 'own';
  return {
    account: operator && user !== undefined ? { user } : { scope },
    action: param('action'),
    actor: param('actor'),
    target: param('target'),
    q: param('q'),
    range: readRange({ range: param('range'), since: param('since'), until: param('until') }),
  };
}

export function isFiltered({ action, actor, target, q, range }: Filter): boolean {
  return [action, actor, target, q].some((value) => value !== undefined) || range.kind !== 'any';
}

/** A page of entries. The first one is fetched again and again. */
export function auditPage({ account, range, ...words }: Filter, position: Position) {
  const first = position.after === undefined && position.before === undefined;
  return queryOptions({
    queryKey: ['audit', account, words, range, position],
    queryFn: () => {
      const query = { ...account, ...words, ...bounds(range, Date.now()), ...position, limit: PAGE };
      return body(api.GET('/v1/audit', { params: { query } }));
    },
    refetchInterval: first && REFETCH_MS,
  });
}
