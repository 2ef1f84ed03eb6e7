// The layout: connected nodes from left to right, the others in rows below.
import { Graph as Drawing, layout } from '@dagrejs/dagre';
import type { Graph } from './graph';

export const CARD = { width: 224, height: 60 };
const GAP = { across: 192, down: 22 };
const ROW = 5;

/** Options for fitting the map, with space for the buttons. */
export const FIT_OPTIONS = { padding: { x: '28px', top: '28px', bottom: '64px' }, maxZoom: 1 } as const;

export type Position = { x: number; y: number };

export function layoutGraph(graph: Graph): Map<string, Position> {
  const positions = new Map<string, Position>();
  let bottom = 0;
  let right = 0;
  if (graph.routes.length > 0) {
    const drawing = new Drawing();
    drawing.setGraph({ rankdir: 'LR', nodesep: GAP.down, ranksep: GAP.across, ranker: 'network-simplex' });
    drawing.setDefaultEdgeLabel(() => ({}));
    const unconnected = new Set(graph.unconnected.map(({ id }) => id));
    for (const id of graph.nodes.keys()) if (!unconnected.has(id)) drawing.setNode(id, { ...CARD });
    for (const { from, to } of graph.routes) drawing.setEdge(from, to);
    layout(drawing);
    for (const id of drawing.nodes()) {
      const { x, y } = drawing.node(id);
      positions.set(id, { x: x - CARD.width / 2, y: y - CARD.height / 2 });
      bottom = Math.max(bottom, y + CARD.height / 2);
      right = Math.max(right, x + CARD.width / 2);
    }
    bottom += 3 * GAP.down;
  }
  const columns = Math.max(
    ROW,
    Math.floor(right / (CARD.width + GAP.down)),
    Math.ceil(Math.sqrt(graph.unconnected.length / 2)),
  );
  for (const [index, { id }] of graph.unconnected.entries()) {
    positions.set(id, {
      x: (index % columns) * (CARD.width + GAP.down),
      y: bottom + Math.floor(index / columns) * (CARD.height + GAP.down),
    });
  }
  return positions;
}
