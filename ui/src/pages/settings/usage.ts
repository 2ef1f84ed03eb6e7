// Usage and quotas. The free plan counts per day, the paid plan per calendar month.
import type { PaidUser, User } from '../../api/types';

/** The API value of an unlimited quota. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

export function isPaid(user: User): user is PaidUser {
  return 'billing_period_invocations' in user;
}

export function isUnlimited(quota: number): boolean {
  return quota >= UNLIMITED;
}

/** The end of the quota day, in UTC. */
export function nextDay(nowMs: number): number {
  const day = 86_400_000;
  return (Math.floor(nowMs / day) + 1) * day;
}
