// Queries of the webhook pages.
import { queryOptions } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import { fetchAllPages, LARGEST_PAGE, pagedQuery } from '../../api/pages';
import type { Webhook } from '../../api/types';

/** Webhooks that fail are refetched, because their status changes without traffic. */
const FAILING_REFETCH_MS = 2_000;

export function refetchDelay(webhooks: Webhook[]): number | false {
  return webhooks.some(({ health }) => health.failing_since != null) && FAILING_REFETCH_MS;
}

/** The webhooks whose name or URL contains the text, with their delivery counts. */
export function listing(q: string | undefined) {
  return pagedQuery(['webhooks', 'listed', q ?? ''] as const, (page) => {
    const query = { ...page, q: q || undefined, expand: 'deliveries' };
    return body(api.GET('/v1/users/me/webhooks', { params: { query } }));
  });
}

/** All webhooks of the user, for names and filters. */
export function allWebhooks() {
  return queryOptions({
    queryKey: ['webhooks', 'all'],
    queryFn: () =>
      fetchAllPages((after) => {
        const query = { limit: LARGEST_PAGE, after };
        return body(api.GET('/v1/users/me/webhooks', { params: { query } }));
      }),
  });
}

export function oneWebhook(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => data(api.GET('/v1/webhooks/{id}', { params: { path: { id }, query: { expand: 'deliveries' } } })),
    refetchInterval: ({ state }) => refetchDelay(state.data ? [state.data] : []),
  });
}

/** The subscriptions of a webhook. */
export function subscriptionsOf(listener: string) {
  return queryOptions({
    queryKey: ['subscriptions', listener],
    queryFn: async () => {
      const all = await data(api.GET('/v1/users/me/subscriptions'));
      return all.filter(({ listener_id }) => listener_id === listener);
    },
  });
}
