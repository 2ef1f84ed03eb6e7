// What the webhook pages ask of the server.
import { queryOptions } from '@tanstack/svelte-query';
import { api, body, data } from '../../api/client';
import { everyPage, inPages, LARGEST_PAGE } from '../../api/pages';

/** The person's webhooks with this in their name or address, and how their deliveries are doing. */
export function listing(q: string | undefined) {
  return inPages(['webhooks', 'listed', q ?? ''] as const, (page) => {
    const query = { ...page, q: q || undefined, expand: 'deliveries' };
    return body(api.GET('/v1/users/me/webhooks', { params: { query } }));
  });
}

/** All webhooks of the person, to name them and to choose from. */
export function allWebhooks() {
  return queryOptions({
    queryKey: ['webhooks', 'all'],
    queryFn: () =>
      everyPage((after) => {
        const query = { limit: LARGEST_PAGE, after };
        return body(api.GET('/v1/users/me/webhooks', { params: { query } }));
      }),
  });
}

export function oneWebhook(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => data(api.GET('/v1/webhooks/{id}', { params: { path: { id }, query: { expand: 'deliveries' } } })),
  });
}

/** Who a webhook listens to. */
export function subscriptionsOf(listener: string) {
  return queryOptions({
    queryKey: ['subscriptions', listener],
    queryFn: async () => {
      const all = await data(api.GET('/v1/users/me/subscriptions'));
      return all.filter(({ listener_id }) => listener_id === listener);
    },
  });
}
