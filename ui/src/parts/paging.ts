// Pagination of lists, newest first. The URL has the position.
import type { PageInfo } from '../api/types';
import { param, setParams } from './address.svelte';

/** Parameters that reset a list to its first page, for example when a filter changes. */
export const FIRST_PAGE = { after: '', before: '', page: '' };

/** The page number in the URL, from 1. */
export function pageNumber(): number {
  const page = Number.parseInt(param('page') ?? '', 10);
  return Number.isNaN(page) ? 1 : Math.max(page, 1);
}

/** The pagination parameters for the API. */
export function pageQuery(size: number): { limit: number; after?: string; before?: string } {
  const [after, before] = [param('after'), param('before')];
  return { limit: size, ...(after ? { after } : {}), ...(before ? { before } : {}) };
}

export function goOlder(info: PageInfo) {
  setParams({ after: info.searched_to ?? info.end_cursor ?? '', before: '', page: String(pageNumber() + 1) });
}

export function goNewer(info: PageInfo) {
  const page = pageNumber() - 1;
  setParams(page > 1 && info.start_cursor ? { after: '', before: info.start_cursor, page: String(page) } : FIRST_PAGE);
}
