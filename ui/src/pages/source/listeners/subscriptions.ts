// Queries and actions of subscriptions.
import { api, body, data } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Subscription } from '../../../api/types';

const key = ['subscriptions'] as const;

export function subscriptionsOptions() {
  return { queryKey: key, queryFn: () => data(api.GET('/v1/users/me/subscriptions')) };
}

/** The subscriptions to this source, including those to all sources. */
export function outOf(source: string, all: Subscription[]): Subscription[] {
  return all.filter(({ emitter_id }) => emitter_id === source || emitter_id === 'dc_*');
}

/** The subscriptions of this source. */
export function into(source: string, all: Subscription[]): Subscription[] {
  return all.filter(({ listener_id }) => listener_id === source);
}

export type NewSubscription = { emitter_id: string; listener_id: string; event_name: string };

/** Creates a subscription. `*` covers emitters created later and has its own endpoint. */
export async function subscribe({ emitter_id, listener_id, event_name }: NewSubscription) {
  if (emitter_id === '*') await data(api.POST('/v1/auto_subscriptions', { body: { listener_id, event_name } }));
  else await data(api.POST('/v1/subscriptions', { body: { emitter_id, listener_id, event_name } }));
  await queries.invalidateQueries({ queryKey: key });
}

export async function unsubscribe({ emitter_id, listener_id, event_name }: Subscription) {
  await body(api.DELETE('/v1/subscriptions', { params: { query: { emitter_id, listener_id, event_name } } }));
  await queries.invalidateQueries({ queryKey: key });
}
