import { QueryClient } from '@tanstack/svelte-query';
import { ApiError } from './errors';

/** Cached responses are shown at once when a page is opened again, and then refetched. */
export const queries = new QueryClient({
  defaultOptions: {
    // The server may be on the same machine or network, reachable without internet access.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      // Client errors are final. Server errors and lost requests are retried.
      retry: (tries, error) => !(error instanceof ApiError && error.status < 500) && tries < 2,
    },
  },
});
