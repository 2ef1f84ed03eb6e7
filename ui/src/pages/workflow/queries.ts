// Queries of the workflow pages. Their keys start with the workflow, so that they can be invalidated together.
import { api, body, data } from '../../api/client';
import type { Page } from '../../api/pages';
import { queries } from '../../api/queries';
import type { Run } from '../../api/types';
import { onward, type SearchedPage } from '../../search/searching';
import type { RunState } from './run/states';

export const RUNS_PER_PAGE = 50;

export function workflowQuery(id: string) {
  return {
    queryKey: ['workflow', id, 'itself'],
    queryFn: () => data(api.GET('/v1/workflows/{id}', { params: { path: { id }, query: { expand: 'activity' } } })),
  };
}

export function versionsQuery(id: string) {
  return {
    queryKey: ['workflow', id, 'versions'],
    queryFn: () => data(api.GET('/v1/workflows/{id}/versions', { params: { path: { id } } })),
  };
}

/** Versions are immutable. The list of versions tells which one is current. */
export function versionQuery(id: string, number: number) {
  return {
    queryKey: ['workflow-version', id, number],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => data(api.GET('/v1/workflows/{id}/versions/{number}', { params: { path: { id, number } } })),
  };
}

export type ListedRun = Omit<Run, 'event' | 'steps' | 'sends'>;

/** Runs without the exports and logs of their steps, which can be large. */
export function runsQuery(id: string, state: RunState | '', page: SearchedPage) {
  const query = { ...page, exclude: 'event,steps,sends', ...(state ? { state } : {}) };
  return {
    queryKey: ['workflow', id, 'runs', query],
    queryFn: (): Promise<Page<ListedRun>> =>
      onward(query, (page) => body(api.GET('/v1/workflows/{id}/runs', { params: { path: { id }, query: page } }))),
  };
}

export function runQuery(id: string, run: string) {
  return {
    queryKey: ['workflow', id, 'run', run],
    queryFn: () => data(api.GET('/v1/workflows/{id}/runs/{run_id}', { params: { path: { id, run_id: run } } })),
  };
}

export type LastRun = Pick<Run, 'id' | 'state' | 'accepted_at_ms'>;

/** The newest run, with the fields of a list. */
export function lastRunQuery(id: string) {
  const query = { limit: 1, include: 'id,state,accepted_at_ms' };
  return {
    queryKey: ['workflow', id, 'last-run'],
    queryFn: async (): Promise<LastRun | null> => {
      const { data } = await body(api.GET('/v1/workflows/{id}/runs', { params: { path: { id }, query } }));
      return data[0] ?? null;
    },
  };
}

/** Refetches all queries of a workflow. */
export function refreshWorkflow(id: string) {
  return queries.invalidateQueries({ queryKey: ['workflow', id] });
}

export const EVENTS_PER_PAGE = 50;

/** `expand` returns whole events. */
type EventsParams = SearchedPage & { event_name?: string; expand?: 'event' };

export function eventsQuery(id: string, query: EventsParams) {
  return {
    queryKey: ['workflow', id, 'events', query],
    queryFn: () =>
      onward(query, (page) =>
        body(api.GET('/v1/workflows/{id}/event_summaries', { params: { path: { id }, query: page } })),
      ),
  };
}

/** Events are immutable. */
export function eventQuery(id: string, event: string) {
  return {
    queryKey: ['workflow-event', id, event],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => data(api.GET('/v1/workflows/{id}/events/{event_id}', { params: { path: { id, event_id: event } } })),
  };
}
