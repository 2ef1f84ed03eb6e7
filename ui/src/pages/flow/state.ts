// The state of a node on the map.
import type { FlowNode } from '../../api/types';
import { count, short } from '../../parts/figures';
import { clockTime } from '../../parts/time';

export function failing({ errors, health }: FlowNode, liveErrors = 0): boolean {
  return errors > 0 || liveErrors > 0 || health?.status === 'failing' || health?.status === 'paused';
}

export function stateText(node: FlowNode): string {
  if (node.kind === 'every') return node.id;
  const parts: string[] = [];
  if (!node.active) parts.push('inactive');
  if (node.kind === 'webhook') {
    const health = healthText(node);
    if (health) parts.push(health);
    if (node.errors > 0) parts.push(`${short(node.errors)} failed`);
    if (node.waiting > 0) parts.push(`${short(node.waiting)} pending`);
    return parts.join(' · ') || 'no backlog';
  }
  if (node.errors > 0) parts.push(count(node.errors, 'error'));
  if (node.events > 0 || parts.length === 0) parts.push(count(node.events, 'event'));
  return parts.join(' · ');
}

/** The status of a webhook that fails, with the time of its next attempt. */
function healthText({ health }: FlowNode): string | undefined {
  if (health?.status !== 'failing' && health?.status !== 'paused') return undefined;
  if (health.next_attempt_at == null) return health.status;
  return `${health.status}, retry at ${clockTime(health.next_attempt_at)}`;
}
