// How something on the map is, in words and in a tone.
import type { FlowNode } from '../../api/types';
import { count, short } from '../../parts/figures';

export function failing({ errors }: FlowNode, liveFailures = 0): boolean {
  return errors > 0 || liveFailures > 0;
}

export function stateWords(node: FlowNode): string {
  if (node.kind === 'every') return node.id;
  const words: string[] = [];
  if (!node.active) words.push('off');
  if (node.kind === 'webhook') {
    if (node.errors > 0) words.push(`${short(node.errors)} failed`);
    if (node.waiting > 0) words.push(`${short(node.waiting)} waiting`);
    return words.join(' · ') || 'nothing waits';
  }
  if (node.errors > 0) words.push(count(node.errors, 'error'));
  if (node.events > 0 || words.length === 0) words.push(count(node.events, 'event'));
  return words.join(' · ');
}
