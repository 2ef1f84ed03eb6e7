import { QueryClient } from '@tanstack/svelte-query';
import { ApiFailure } from './client';

/** Answers are kept while their page is open, shown at once on return and then asked for again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the server refused, it will refuse again; what did not reach it is worth another try.
      retry: (tries, error) => !(error instanceof ApiFailure && error.status < 500) && tries < 2,
    },
  },
});
