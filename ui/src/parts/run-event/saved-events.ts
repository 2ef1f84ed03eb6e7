// The saved events of a source or workflow, and the last event that it got.
import { api, body, data } from '../../api/client';
import { queries } from '../../api/queries';

export type Emitter = { kind: 'source' | 'workflow'; id: string };

const keyOf = ({ id }: Emitter) => ['saved-events', id];

export function savedEventsQuery(emitter: Emitter) {
  const params = { path: { id: emitter.id } };
  return {
    queryKey: keyOf(emitter),
    queryFn: () =>
      emitter.kind === 'source'
        ? data(api.GET('/v1/sources/{id}/saved_events', { params }))
        : data(api.GET('/v1/workflows/{id}/saved_events', { params })),
  };
}

export async function saveEvent(emitter: Emitter, name: string, event: unknown) {
  const request = { params: { path: { id: emitter.id, name } }, body: { event } };
  await (emitter.kind === 'source'
    ? data(api.PUT('/v1/sources/{id}/saved_events/{name}', request))
    : data(api.PUT('/v1/workflows/{id}/saved_events/{name}', request)));
  await queries.invalidateQueries({ queryKey: keyOf(emitter) });
}

export async function deleteEvent(emitter: Emitter, name: string) {
  const request = { params: { path: { id: emitter.id, name } } };
  await (emitter.kind === 'source'
    ? body(api.DELETE('/v1/sources/{id}/saved_events/{name}', request))
    : body(api.DELETE('/v1/workflows/{id}/saved_events/{name}', request)));
  await queries.invalidateQueries({ queryKey: keyOf(emitter) });
}

/** The last event of a source or workflow; null without one. */
export function lastEventQuery(emitter: Emitter) {
  return {
    queryKey: ['last-event', emitter.id],
    queryFn: () => (emitter.kind === 'source' ? lastRequest(emitter.id) : eventOfLastRun(emitter.id)),
  };
}

async function lastRequest(id: string): Promise<{ event: unknown } | null> {
  const { event } = await data(api.GET('/v1/sources/{id}/last_request', { params: { path: { id } } }));
  return event === undefined ? null : { event };
}

async function eventOfLastRun(id: string): Promise<{ event: unknown } | null> {
  const query = { limit: 1, include: 'event', expand: 'run' as const };
  const page = await body(api.GET('/v1/workflows/{id}/runs', { params: { path: { id }, query } }));
  const [run] = page.data;
  return run ? { event: run.event } : null;
}
