// The results of steps in the newest run.
import { api, body } from '../../../api/client';
import { type LastResults, resultsOf } from './step-results';

const RUNNING_MS = 1_000;

/** Query options. Its key is that of the workflow, so it is refetched with the other queries when there is traffic. */
export function lastResultsOptions(workflow: string | undefined) {
  const query = { limit: 1, include: 'id,state,steps' };
  return {
    queryKey: ['workflow', workflow ?? '', 'last-results'],
    queryFn: async (): Promise<LastResults | null> => {
      const { data } = await body(
        api.GET('/v1/workflows/{id}/runs', { params: { path: { id: workflow ?? '' }, query } }),
      );
      return data[0] ? resultsOf(data[0]) : null;
    },
    enabled: workflow !== undefined,
    refetchInterval: ({ state }: { state: { data?: LastResults | null | undefined } }) =>
      state.data && !state.data.over ? RUNNING_MS : (false as const),
  };
}
