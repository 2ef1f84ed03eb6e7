// Queries of the page for AI agents.
import { queryOptions } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import { pagedQuery } from '../../api/pages';

export const TOOLS_KEY = ['tools'] as const;
const REFETCH_MS = 5_000;

export function toolsQuery() {
  return queryOptions({ queryKey: TOOLS_KEY, queryFn: () => data(api.GET('/v1/tools')) });
}

/** What was done with a key, or which actions ran with any. */
export function activityQuery(key: string) {
  const filter = key === '' ? { action: 'action' } : { actor: key };
  const fetch = (page: { limit: number; after: string | undefined }) =>
    body(api.GET('/v1/audit', { params: { query: { ...filter, ...page } } }));
  return { ...pagedQuery(['audit', 'agents', key], fetch), refetchInterval: REFETCH_MS };
}

export function actionRunQuery(id: string) {
  return queryOptions({
    queryKey: ['action-run', id],
    queryFn: () => data(api.GET('/v1/actions/runs/{run_id}', { params: { path: { run_id: id } } })),
    refetchInterval: ({ state }) => (state.data?.finished_at_ms == null ? 1_000 : false),
  });
}
