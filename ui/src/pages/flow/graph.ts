// The graph of emitters and listeners: one edge for each pair, for all channels together.
import type { Flow, FlowNode } from '../../api/types';
import { patternName } from '../../parts/emitters';

export type Route = { id: string; from: string; to: string; channels: string[] };
export type Graph = { nodes: Map<string, FlowNode>; routes: Route[]; unconnected: FlowNode[]; hidden: number };

/** Of the nodes without connections, only the busiest are shown. */
const MAX_UNCONNECTED = 60;

export function graphOf(flow: Flow): Graph {
  const nodes = new Map(flow.nodes.map((node) => [node.id, node]));
  const routes = new Map<string, Route>();
  for (const { from, to, event_name } of flow.edges) {
    if (!nodes.has(from) || !nodes.has(to)) continue;
    const id = routeId(from, to);
    const route = routes.get(id) ?? { id, from, to, channels: [] };
    const channel = event_name === '' ? 'default' : event_name;
    if (!route.channels.includes(channel)) route.channels.push(channel);
    routes.set(id, route);
  }
  for (const route of routes.values()) route.channels.sort();
  const connected = new Set([...routes.values()].flatMap(({ from, to }) => [from, to]));
  const unconnected = flow.nodes.filter(({ id }) => !connected.has(id));
  for (const { id } of unconnected.slice(MAX_UNCONNECTED)) nodes.delete(id);
  return {
    nodes,
    routes: [...routes.values()],
    unconnected: unconnected.slice(0, MAX_UNCONNECTED),
    hidden: flow.hidden + Math.max(0, unconnected.length - MAX_UNCONNECTED),
  };
}

export function routeId(from: string, to: string): string {
  return `${from}>${to}`;
}

/** The edges of an event: its own, or those of the patterns that match its emitter. */
export function routesOf(known: ReadonlySet<string>, from: string, to: string): string[] {
  const own = routeId(from, to);
  if (known.has(own)) return [own];
  const patterns = ['*', from.startsWith('p_') ? 'p_*' : 'dc_*'];
  return patterns.map((pattern) => routeId(pattern, to)).filter((id) => known.has(id));
}

export function nameOf({ id, kind, name }: FlowNode): string {
  return kind === 'every' ? (patternName(id) ?? id) : name;
}

export function hrefOf({ id, kind }: FlowNode): string {
  if (kind === 'source') return `/sources/${id}`;
  if (kind === 'workflow') return `/workflows/${id}`;
  if (kind === 'webhook') return `/webhooks/${id}`;
  return id === 'p_*' ? '/workflows' : '/sources';
}

export const kindNames: Record<FlowNode['kind'], string> = {
  source: 'Source',
  workflow: 'Workflow',
  webhook: 'Webhook',
  every: 'Pattern',
};

/** The channel names of an edge; empty for the default channel alone. */
export function channelText(channels: string[]): string {
  return channels.length === 1 && channels[0] === 'default' ? '' : channels.join(', ');
}
