// Which sources and workflows use an account.
import { queryOptions } from '@tanstack/svelte-query';
import { api, body } from '../../api/client';
import { LARGEST_PAGE } from '../../api/pages';
import type { AccountUse } from '../../api/types';
import { count } from '../../parts/figures';

/** The newest uses, and the total count. */
export type Uses = { newest: AccountUse[]; total: number };

export function usesOf(id: string) {
  return queryOptions({
    queryKey: ['account-uses', id],
    queryFn: async (): Promise<Uses> => {
      const params = { path: { id }, query: { limit: LARGEST_PAGE } };
      const { data, page_info } = await body(api.GET('/v1/accounts/{id}/uses', { params }));
      return { newest: data, total: page_info.total_count };
    },
    staleTime: 30_000,
  });
}

/** The number of uses as text, by kind if all are loaded. */
export function countText({ newest, total }: Uses): string {
  if (total > newest.length) return `${total.toLocaleString()} sources and workflows`;
  const sources = newest.filter(({ kind }) => kind === 'source').length;
  const counts = [sources > 0 && count(sources, 'source'), total > sources && count(total - sources, 'workflow')];
  return counts.filter(Boolean).join(' and ');
}
