// The state of a node on the map.
import type { FlowNode } from '../../api/types';
import { count, short } from '../../parts/figures';

export function failing({ errors }: FlowNode, liveErrors = 0): boolean {
  return errors > 0 || liveErrors > 0;
}

export function stateText(node: FlowNode): string {
  if (node.kind === 'every') return node.id;
  const parts: string[] = [];
  if (!node.active) parts.push('inactive');
  if (node.kind === 'webhook') {
    if (node.errors > 0) parts.push(`${short(node.errors)} failed`);
    if (node.waiting > 0) parts.push(`${short(node.waiting)} pending`);
    return parts.join(' · ') || 'no backlog';
  }
  if (node.errors > 0) parts.push(count(node.errors, 'error'));
  if (node.events > 0 || parts.length === 0) parts.push(count(node.events, 'event'));
  return parts.join(' · ');
}
