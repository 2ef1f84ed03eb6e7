// The order of the nodes, and the notes for their operator.
import type { ClusterNode } from '../../api/types';

export type Note = { title: string; text: string };

const ORDER: ClusterNode['state'][] = ['active', 'draining', 'lost', 'stopped'];

/** Running nodes first, then by name. */
export function sorted(nodes: ClusterNode[]): ClusterNode[] {
  const place = ({ state }: ClusterNode) => ORDER.indexOf(state);
  return nodes.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name) || a.started_at - b.started_at);
}

/** On SQLite there is one node, and it has no lease. */
export function ownsDatabase(nodes: ClusterNode[]): boolean {
  return nodes.length > 0 && nodes.every(({ lease_left_ms }) => lease_left_ms == null);
}

/** Nodes that need the operator. */
export function alarmsOn(nodes: ClusterNode[]): Note[] {
  const current = nodes.find((node) => node.current);
  // Without a lease, the connected node does not know how the others are.
  if (current?.state === 'lost') return [lostConnected(current.name)];
  const hasActive = nodes.some(({ state }) => state === 'active');
  const lost = nodes.filter((node) => node.state === 'lost' && !hasSuccessor(node, nodes));
  return names(lost).map((name) => lostOther(name, hasActive));
}

/** Remarks on a restart or an upgrade in progress. */
export function remarksOn(nodes: ClusterNode[]): Note[] {
  const draining = nodes.filter(({ state }) => state === 'draining');
  return [...names(draining).map(drainingNode), ...versions(nodes)];
}

/** A node that crashes at each start has many rows, and one note. */
function names(nodes: ClusterNode[]): string[] {
  return [...new Set(nodes.map(({ name }) => name))];
}

/** Whether the node was started again under the same name. */
function hasSuccessor({ name, started_at }: ClusterNode, nodes: ClusterNode[]): boolean {
  return nodes.some((node) => node.name === name && node.state !== 'lost' && node.started_at > started_at);
}

function lostConnected(name: string): Note {
  return {
    title: `${name}, which answers this page, has lost its lease`,
    text: 'It runs nothing until it has renewed the lease. Check its connection to PostgreSQL. The list below is from its last heartbeat.',
  };
}

function lostOther(name: string, hasActive: boolean): Note {
  const takeover = hasActive
    ? 'Active nodes take over its sources and workflows. If it still runs, it rejoins when it reaches the database.'
    : 'No node is active to take over its sources and workflows.';
  return {
    title: `${name} has lost its lease`,
    text: `It crashed, hangs, or cannot reach the database. ${takeover}`,
  };
}

function drainingNode(name: string): Note {
  return {
    title: `${name} is draining`,
    text: 'It finishes its running work and then stops. Other nodes get new work.',
  };
}

function versions(nodes: ClusterNode[]): Note[] {
  const running = nodes.filter(({ state }) => state === 'active' || state === 'draining');
  const distinct = [...new Set(running.map(({ version }) => version))].toSorted();
  if (distinct.length < 2) return [];
  const text = `These are ${distinct.join(' and ')}. This is expected during an upgrade.`;
  return [{ title: 'Nodes run different versions', text }];
}
