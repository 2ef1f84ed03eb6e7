// Queries and URL filters of the delivery pages.
import { type QueryClient, queryOptions } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../../api/types';
import { param } from '../../parts/address.svelte';
import { visible } from '../../parts/json/lines';
import { duration } from '../../parts/time';
import { bounds, readRange, type TimeRange } from '../../parts/time-range';
import { attempt, toast } from '../../parts/toasts.svelte';

export const PAGE = 25;
// Pages with pending deliveries are refetched. The traffic stream triggers refetches, too.
const SOON_MS = 10_000;
const FAST_REFETCH_MS = 1_000;
const SLOW_REFETCH_MS = 5_000;

export type Filter = { state: DeliveryState | undefined; webhook: string | undefined; range: TimeRange };
export type Position = { after: string | undefined; before: string | undefined };

const states: readonly string[] = ['pending', 'delivered', 'failed'] satisfies DeliveryState[];
const isState = (text: string | undefined): text is DeliveryState => text !== undefined && states.includes(text);

/** The filter in the URL. */
export function filterFromUrl(): Filter {
  const state = param('state');
  return {
    state: isState(state) ? state : undefined,
    webhook: param('webhook'),
    range: readRange({ range: param('range'), since: param('since'), until: param('until') }),
  };
}

/** A page of deliveries with the counts of all states. */
export function deliveryPage(filter: Filter, position: Position) {
  return queryOptions({
    queryKey: ['deliveries', 'page', filter, position],
    queryFn: async () => {
      const [page, all, pending, failed, delivered] = await Promise.all([
        fetchDeliveries(filter, { limit: PAGE, ...position }),
        countDeliveries({ ...filter, state: undefined }),
        countDeliveries({ ...filter, state: 'pending' }),
        countDeliveries({ ...filter, state: 'failed' }),
        countDeliveries({ ...filter, state: 'delivered' }),
      ]);
      return { deliveries: page.data, info: page.page_info, counts: { all, pending, failed, delivered } };
    },
    refetchInterval: ({ state }) =>
      refetchDelay(state.data?.deliveries ?? []) || ((state.data?.counts.pending ?? 0) > 0 && SLOW_REFETCH_MS),
  });
}

export function deliveryCount(filter: Filter) {
  return queryOptions({
    queryKey: ['deliveries', 'count', filter],
    queryFn: () => countDeliveries(filter),
  });
}

export function oneDelivery(id: string) {
  return queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => data(api.GET('/v1/deliveries/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => refetchDelay(state.data ? [state.data] : []),
  });
}

async function countDeliveries(filter: Filter): Promise<number> {
  return (await fetchDeliveries(filter, { limit: 1, include: 'id' })).page_info.total_count;
}

function fetchDeliveries(
  { state, webhook, range }: Filter,
  page: Partial<Position> & { limit: number; include?: string },
) {
  const query = { ...page, state, webhook_id: webhook, ...bounds(range, Date.now()) };
  return body(api.GET('/v1/deliveries', { params: { query } }));
}

function refetchDelay(deliveries: Pick<Delivery, 'next_attempt_at'>[]): number | false {
  const due = deliveries.flatMap(({ next_attempt_at }) => next_attempt_at ?? []);
  if (due.length === 0) return false;
  return Math.min(...due) < Date.now() + SOON_MS ? FAST_REFETCH_MS : SLOW_REFETCH_MS;
}

/** Sends a delivery again immediately, and shows the result. */
export function retry(client: QueryClient, id: string): Promise<boolean> {
  return attempt(async () => {
    const delivery = await data(api.POST('/v1/deliveries/{id}/replay', { params: { path: { id } } }));
    client.setQueryData(oneDelivery(id).queryKey, delivery);
    await refresh(client);
    toastResult(delivery);
  });
}

/** Sends the next delivery of a webhook immediately, and shows the result. */
export function retryWebhook(client: QueryClient, id: string): Promise<boolean> {
  return attempt(async () => {
    const delivery = await data(api.POST('/v1/webhooks/{id}/retry', { params: { path: { id } } }));
    await refresh(client);
    toastResult(delivery);
  });
}

function toastResult({ attempt }: Delivery) {
  if (!attempt) return toast('Delivery queued');
  const took = `(${duration(attempt.latency_ms)})`;
  if (succeeded(attempt)) return toast(`Delivered: ${attempt.status} ${took}`);
  toast(`Not delivered: ${attempt.error ?? attempt.status} ${took}`, 'bad');
}

/** Refetches everything that shows deliveries. */
export async function refresh(client: QueryClient) {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['deliveries'] }),
    client.invalidateQueries({ queryKey: ['webhooks'] }),
  ]);
}

/** The summary of the event on one line. */
export function summaryLine(summary: string): string {
  return visible(summary.replace(/\s+/g, ' ').trim());
}

/** Whether the event has a summary of its own, and not only the beginning of its data. */
export function hasSummary({ summary, event }: Delivery): boolean {
  return summary !== '' && !JSON.stringify(event ?? null).startsWith(summary);
}

export function succeeded({ status, error }: DeliveryAttempt): boolean {
  return error == null && status != null && status >= 200 && status < 300;
}
