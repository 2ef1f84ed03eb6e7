// The bars of the waterfall of a trace, and the pages of its nodes.
import type { Trace, TraceNode } from '../../api/types';

const FAST_REFETCH_MS = 1_000;
export const SLOW_REFETCH_MS = 2_000;
/** Effects may appear for this long after the last one. */
const SETTLED_MS = 10_000;

/** How soon a trace may have changed; false when it is over. */
export function refetchDelay({ nodes }: Pick<Trace, 'nodes'>, nowMs: number): number | false {
  if (nodes.some(isUnfinished)) return FAST_REFETCH_MS;
  return nowMs - lastMoment(nodes) < SETTLED_MS ? SLOW_REFETCH_MS : false;
}

export const isUnfinished = ({ status }: Pick<TraceNode, 'status'>) => status === 'waiting' || status === 'running';

const endOf = (node: TraceNode) => node.started_at_ms + (node.duration_ms ?? 0);
const lastMoment = (nodes: TraceNode[]) => Math.max(...nodes.map(endOf));

/** The time that a waterfall shows. */
export type Axis = { startMs: number; lengthMs: number };

export function axisOf(nodes: TraceNode[], nowMs: number): Axis {
  const startMs = Math.min(...nodes.map((node) => node.started_at_ms));
  const endMs = Math.max(lastMoment(nodes), nodes.some(isUnfinished) ? nowMs : 0);
  return { startMs, lengthMs: Math.max(endMs - startMs, 1) };
}

/** The bar of a node, in percent of the axis. What is not over lasts until now. */
export function barOf(node: TraceNode, { startMs, lengthMs }: Axis): { left: number; width: number } {
  const from = node.started_at_ms - startMs;
  const to = node.duration_ms != null ? from + node.duration_ms : isUnfinished(node) ? lengthMs : from;
  return { left: (from / lengthMs) * 100, width: ((to - from) / lengthMs) * 100 };
}

/** Nodes that no collapsed node hides. */
export function shownNodes(nodes: TraceNode[], collapsed: ReadonlySet<string>): TraceNode[] {
  const hidden = new Set<string>();
  return nodes.filter(({ key, parent }) => {
    const covered = parent != null && (hidden.has(parent) || collapsed.has(parent));
    if (covered) hidden.add(key);
    return !covered;
  });
}

/** The page that shows a node. */
export function hrefOf(node: TraceNode): string | undefined {
  const emitter = node.emitter_id ?? '';
  switch (node.kind) {
    case 'trigger':
      return undefined;
    case 'source_run':
      return `/sources/${emitter}/logs`;
    case 'workflow_run':
    case 'step':
    case 'send':
      return `/workflows/${emitter}/runs/${node.run_id}`;
    case 'action_run':
      return `/agents?run=${node.id}`;
    case 'event':
      return emitter.startsWith('p_') ? `/workflows/${emitter}/events` : `/sources/${emitter}?event=${node.id}`;
    case 'delivery':
    case 'attempt':
      return `/deliveries/${node.id}`;
  }
}

const KINDS: Record<TraceNode['kind'], string> = {
  trigger: 'Trigger',
  source_run: 'Source',
  workflow_run: 'Workflow',
  action_run: 'Action',
  step: 'Step',
  send: 'Send',
  event: 'Event',
  delivery: 'Delivery',
  attempt: 'Attempt',
};

export const kindOf = ({ kind }: Pick<TraceNode, 'kind'>) => KINDS[kind];

const TRIGGERS: Record<string, string> = {
  http: 'HTTP request',
  timer: 'Timer',
  manual: 'Manual run',
  hook: 'Hook',
  action: 'Action run',
  event: 'Event',
  unknown: 'Not recorded',
};

export const nameOf = ({ kind, name }: Pick<TraceNode, 'kind' | 'name'>) =>
  kind === 'trigger' ? (TRIGGERS[name] ?? name) : name;
