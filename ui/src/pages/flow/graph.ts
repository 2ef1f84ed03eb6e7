// Who emits to whom, as the page draws it: one line between two, whatever channels it carries.
import type { Flow, FlowNode } from '../../api/types';

export type Route = { id: string; from: string; to: string; channels: string[] };
export type Graph = { nodes: Map<string, FlowNode>; routes: Route[]; loose: FlowNode[]; hidden: number };

/** A map is about connections: of what has none, the busiest will do. */
const MOST_LOOSE = 60;

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
  const connected = new Set([...routes.values()].flatMap(({ from, to }) => [from, to]));
  const loose = flow.nodes.filter(({ id }) => !connected.has(id));
  for (const { id } of loose.slice(MOST_LOOSE)) nodes.delete(id);
  return {
    nodes,
    routes: [...routes.values()],
    loose: loose.slice(0, MOST_LOOSE),
    hidden: flow.hidden + Math.max(0, loose.length - MOST_LOOSE),
  };
}

export function routeId(from: string, to: string): string {
  return `${from}>${to}`;
}

/** The lines that an event takes: its own, or those of the globs that its emitter is one of. */
export function linesOf(known: ReadonlySet<string>, from: string, to: string): string[] {
  const own = routeId(from, to);
  if (known.has(own)) return [own];
  const globs = ['*', from.startsWith('p_') ? 'p_*' : 'dc_*'];
  return globs.map((glob) => routeId(glob, to)).filter((id) => known.has(id));
}

const EVERY: Record<string, string> = { '*': 'Everything new', 'dc_*': 'Every source', 'p_*': 'Every workflow' };

export function nameOf({ id, kind, name }: FlowNode): string {
  return kind === 'every' ? (EVERY[id] ?? id) : name;
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
  every: 'Glob',
};

/** The channels that are worth a name: one that carries only the default has none. */
export function channelWords(channels: string[]): string {
  return channels.length === 1 && channels[0] === 'default' ? '' : channels.join(', ');
}
