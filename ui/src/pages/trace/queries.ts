// The query of a trace.
import { queryOptions } from '@tanstack/svelte-query';
import { api, data } from '../../api/client';
import { isMissing } from '../../api/errors';
import { refetchDelay, SLOW_REFETCH_MS } from './trace';

export function traceQuery(id: string, emitter: string | undefined) {
  return queryOptions({
    queryKey: ['trace', id, emitter],
    queryFn: () =>
      data(api.GET('/v1/traces/{id}', { params: { path: { id }, query: emitter ? { emitter_id: emitter } : {} } })),
    refetchInterval: ({ state }) =>
      isMissing(state.error) ? false : state.data ? refetchDelay(state.data, Date.now()) : SLOW_REFETCH_MS,
  });
}
