// Where everything stands: what is connected from left to right, what is not in rows below.
import { Graph as Drawing, layout } from '@dagrejs/dagre';
import type { Graph } from './graph';

export const CARD = { width: 224, height: 60 };
const GAP = { across: 192, down: 22 };
const ROW = 5;

/** How the map is shown whole; the buttons have room below. */
export const WHOLE = { padding: { x: '28px', top: '28px', bottom: '64px' }, maxZoom: 1 } as const;

export type Place = { x: number; y: number };

export function place(graph: Graph): Map<string, Place> {
  const places = new Map<string, Place>();
  let bottom = 0;
  let right = 0;
  if (graph.routes.length > 0) {
    const drawing = new Drawing();
    drawing.setGraph({ rankdir: 'LR', nodesep: GAP.down, ranksep: GAP.across, ranker: 'network-simplex' });
    drawing.setDefaultEdgeLabel(() => ({}));
    const loose = new Set(graph.loose.map(({ id }) => id));
    for (const id of graph.nodes.keys()) if (!loose.has(id)) drawing.setNode(id, { ...CARD });
    for (const { from, to } of graph.routes) drawing.setEdge(from, to);
    layout(drawing);
    for (const id of drawing.nodes()) {
      const { x, y } = drawing.node(id);
      places.set(id, { x: x - CARD.width / 2, y: y - CARD.height / 2 });
      bottom = Math.max(bottom, y + CARD.height / 2);
      right = Math.max(right, x + CARD.width / 2);
    }
    bottom += 3 * GAP.down;
  }
  const columns = Math.max(
    ROW,
    Math.floor(right / (CARD.width + GAP.down)),
    Math.ceil(Math.sqrt(graph.loose.length / 2)),
  );
  for (const [index, { id }] of graph.loose.entries()) {
    places.set(id, {
      x: (index % columns) * (CARD.width + GAP.down),
      y: bottom + Math.floor(index / columns) * (CARD.height + GAP.down),
    });
  }
  return places;
}
