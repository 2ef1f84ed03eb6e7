// What the deliveries pages ask of the server, and what their addresses say.
import { type QueryClient, queryOptions } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../../api/types';
import { param } from '../../parts/address.svelte';
import { bounds, readRange, type TimeRange } from '../../parts/time-range';
import { attempt } from '../../parts/toasts.svelte';

export const PAGE = 25;
// While something is on its way its page is asked for again; news of it come with the traffic, too.
const SOON_MS = 10_000;
const OFTEN_MS = 1_000;
const SELDOM_MS = 5_000;

export type Filter = { state: DeliveryState | undefined; webhook: string | undefined; range: TimeRange };
export type Place = { after: string | undefined; before: string | undefined };

const states: readonly string[] = ['pending', 'delivered', 'failed'] satisfies DeliveryState[];
const isState = (text: string | undefined): text is DeliveryState => text !== undefined && states.includes(text);

/** What the address asks for. */
export function filterOfAddress(): Filter {
  const state = param('state');
  return {
    state: isState(state) ? state : undefined,
    webhook: param('webhook'),
    range: readRange({ range: param('range'), since: param('since'), until: param('until') }),
  };
}

/** A page of deliveries, and how many there are in each state, of one moment. */
export function deliveryPage(filter: Filter, place: Place) {
  return queryOptions({
    queryKey: ['deliveries', 'page', filter, place],
    queryFn: async () => {
      const [page, all, pending, failed, delivered] = await Promise.all([
        ask(filter, { limit: PAGE, ...place }),
        howMany({ ...filter, state: undefined }),
        howMany({ ...filter, state: 'pending' }),
        howMany({ ...filter, state: 'failed' }),
        howMany({ ...filter, state: 'delivered' }),
      ]);
      return { deliveries: page.data, info: page.page_info, counts: { all, pending, failed, delivered } };
    },
    refetchInterval: ({ state }) =>
      haste(state.data?.deliveries ?? []) || ((state.data?.counts.pending ?? 0) > 0 && SELDOM_MS),
  });
}

export function deliveryCount(filter: Filter) {
  return queryOptions({
    queryKey: ['deliveries', 'count', filter],
    queryFn: () => howMany(filter),
  });
}

export function oneDelivery(id: string) {
  return queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => data(api.GET('/v1/deliveries/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => haste(state.data ? [state.data] : []),
  });
}

async function howMany(filter: Filter): Promise<number> {
  return (await ask(filter, { limit: 1, include: 'id' })).page_info.total_count;
}

function ask({ state, webhook, range }: Filter, page: Partial<Place> & { limit: number; include?: string }) {
  const query = { ...page, state, webhook_id: webhook, ...bounds(range, Date.now()) };
  return body(api.GET('/v1/deliveries', { params: { query } }));
}

function haste(deliveries: Pick<Delivery, 'next_attempt_at'>[]): number | false {
  const due = deliveries.flatMap(({ next_attempt_at }) => next_attempt_at ?? []);
  if (due.length === 0) return false;
  return Math.min(...due) < Date.now() + SOON_MS ? OFTEN_MS : SELDOM_MS;
}

/** Sends a delivery again, at once. */
export function retry(client: QueryClient, id: string): Promise<boolean> {
  return attempt(async () => {
    const delivery = await data(api.POST('/v1/deliveries/{id}/replay', { params: { path: { id } } }));
    client.setQueryData(oneDelivery(id).queryKey, delivery);
    await refresh(client);
  }, 'The delivery is on its way again.');
}

/** Asks again for everything that shows deliveries. */
export async function refresh(client: QueryClient) {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['deliveries'] }),
    client.invalidateQueries({ queryKey: ['webhooks'] }),
  ]);
}

export function succeeded({ status, error }: DeliveryAttempt): boolean {
  return error == null && status != null && status >= 200 && status < 300;
}
