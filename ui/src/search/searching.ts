// Requests of searches. One request searches for a limited time, and says where to search on.
import { ApiError } from '../api/errors';
import type { Page } from '../api/pages';

/** A search that finds nothing goes on for so long before it asks. */
const PATIENCE_MS = 2_000;

/** The first page with a match after a cursor, or the last one that was searched in time. */
export async function searched<T>(
  fetchPage: (after: string | undefined) => Promise<Page<T>>,
  after?: string,
): Promise<Page<T>> {
  const start = performance.now();
  let page = await fetchPage(after);
  while (page.data.length === 0 && page.page_info.searched_to && performance.now() - start < PATIENCE_MS)
    page = await fetchPage(page.page_info.searched_to);
  return page;
}

/** A page of a list, or of a search if it has a query or a time. */
export type SearchedPage = {
  limit: number;
  after?: string;
  before?: string;
  q?: string;
  since?: string;
  until?: string;
};

/** As `searched`, for a page with its own position. A page that is requested with `before` is not continued. */
export function onward<T, Q extends SearchedPage>(
  query: Q,
  fetchPage: (query: Q) => Promise<Page<T>>,
): Promise<Page<T>> {
  if (query.before) return fetchPage(query);
  return searched((after) => fetchPage(after ? { ...query, after } : query), query.after);
}

export type QueryError = { position: number; message: string };

/** The error in a query, if the server rejected it. */
export function queryError(error: unknown): QueryError | undefined {
  const detail = error instanceof ApiError ? error.details.q?.[0] : undefined;
  return typeof detail === 'object' && 'position' in detail ? detail : undefined;
}
