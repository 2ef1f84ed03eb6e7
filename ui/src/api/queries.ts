import { QueryClient } from '@tanstack/svelte-query';
import { ApiFailure } from './client';

/** Answers are kept while their page is open, shown at once on return and then asked for again. */
export const queries = new QueryClient({
  defaultOptions: {
    // A browser without the internet still reaches a server on the same machine or network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      // What the server refused, it will refuse again; what did not reach it is worth another try.
      retry: (tries, error) => !(error instanceof ApiFailure && error.status < 500) && tries < 2,
    },
  },
});
