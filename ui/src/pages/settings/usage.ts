// What somebody has used, and may use; the free plan counts days, the paid one calendar months.
import type { PaidUser, User } from '../../api/types';

/** What the API gives for a quota that has no limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function isPaid(user: User): user is PaidUser {
  return 'billing_period_invocations' in user;
}

export function limitless(quota: number): boolean {
  return quota >= NO_LIMIT;
}

/** When the day of the quotas ends: they are counted in UTC. */
export function nextDay(nowMs: number): number {
  const day = 86_400_000;
  return (Math.floor(nowMs / day) + 1) * day;
}
