// The query and the time range of a search in the URL.
import { param } from '../parts/address.svelte';
import { bounds, readRange, type TimeRange } from '../parts/time-range';

export function rangeOfUrl(): TimeRange {
  return readRange({ range: param('range'), since: param('since'), until: param('until') });
}

/** Parameters that show everything. */
export const NO_SEARCH = { q: '', range: '', since: '', until: '' };

const MINUTE_MS = 60_000;

/** The search of the URL as API parameters. The time is rounded to a minute, so that a list that is read again stays the same. */
export function searchOfUrl(): { q?: string; since?: string; until?: string } {
  const q = param('q');
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  return { ...(q ? { q } : {}), ...bounds(rangeOfUrl(), now) };
}
