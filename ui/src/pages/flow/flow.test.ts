import { describe, expect, test } from 'vitest';
import type { Flow, FlowNode } from '../../api/types';
import { channelText, graphOf, hrefOf, nameOf, routesOf } from './graph';
import { labelPositions, pointOn } from './labels';
import { CARD, layoutGraph, type Position } from './layout';
import { LiveRates, rateText } from './rates.svelte';
import { failing, stateText } from './state';

const node = (id: string, more: Partial<FlowNode> = {}) =>
  ({ id, kind: 'source', name: id, active: true, events: 0, errors: 0, waiting: 0, ...more }) as FlowNode;
const edge = (from: string, to: string, event_name = '') => ({ from, to, event_name });
const flow = (nodes: string[], edges: ReturnType<typeof edge>[], hidden = 0) =>
  ({ nodes: nodes.map((id) => node(id)), edges, hidden }) as unknown as Flow;

const overlap = (one: Position, other: Position) =>
  Math.abs(one.x - other.x) < CARD.width && Math.abs(one.y - other.y) < CARD.height;
function overlapping(positions: Map<string, Position>): string[] {
  const all = [...positions];
  return all.flatMap(([a, one], index) =>
    all.slice(index + 1).flatMap(([b, two]) => (overlap(one, two) ? [`${a} and ${b}`] : [])),
  );
}

describe('graphOf', () => {
  test('the channels of a pair share one edge', () => {
    const { routes } = graphOf(
      flow(['a', 'b'], [edge('a', 'b', 'z'), edge('a', 'b'), edge('a', 'b', 'c'), edge('a', 'b', 'z')]),
    );
    expect(routes).toEqual([{ id: 'a>b', from: 'a', to: 'b', channels: ['c', 'default', 'z'] }]);
  });

  test('edges of unknown nodes are dropped', () => {
    const graph = graphOf(flow(['a'], [edge('a', 'gone'), edge('gone', 'a')]));
    expect(graph.routes).toEqual([]);
    expect(graph.unconnected.map(({ id }) => id)).toEqual(['a']);
  });

  test('only 60 nodes without connections are shown', () => {
    const names = Array.from({ length: 70 }, (_, n) => `n${n}`);
    const graph = graphOf(flow([...names, 'x', 'y'], [edge('x', 'y')], 5));
    expect(graph.unconnected).toHaveLength(60);
    expect(graph.hidden).toBe(15);
    expect(graph.nodes.has('n59')).toBe(true);
    expect(graph.nodes.has('n60')).toBe(false);
    expect(graph.nodes.has('x')).toBe(true);
  });

  test('an empty flow is an empty graph', () => {
    expect(graphOf(flow([], []))).toMatchObject({ routes: [], unconnected: [], hidden: 0 });
  });

  test('an event belongs to its own edge, else to those of patterns', () => {
    const known = new Set(['dc_1>w', 'dc_*>w', '*>w', 'p_*>w']);
    expect(routesOf(known, 'dc_1', 'w')).toEqual(['dc_1>w']);
    expect(routesOf(known, 'dc_2', 'w')).toEqual(['*>w', 'dc_*>w']);
    expect(routesOf(known, 'p_1', 'w')).toEqual(['*>w', 'p_*>w']);
    expect(routesOf(known, 'dc_2', 'other')).toEqual([]);
  });

  test('names and links', () => {
    expect(nameOf(node('dc_*', { kind: 'every' }))).toBe('All sources');
    expect(nameOf(node('x_*', { kind: 'every' }))).toBe('x_*');
    expect(nameOf(node('dc_1', { name: 'Orders' }))).toBe('Orders');
    const kinds = [
      ['dc_1', 'source'],
      ['p_1', 'workflow'],
      ['wh_1', 'webhook'],
      ['p_*', 'every'],
      ['*', 'every'],
    ] as const;
    const links = kinds.map(([id, kind]) => hrefOf(node(id, { kind })));
    expect(links).toEqual(['/sources/dc_1', '/workflows/p_1', '/webhooks/wh_1', '/workflows', '/sources']);
    expect(channelText(['default'])).toBe('');
    expect(channelText(['default', 'x'])).toBe('default, x');
    expect(channelText([])).toBe('');
  });
});

describe('layoutGraph', () => {
  const layoutOf = (nodes: string[], edges: ReturnType<typeof edge>[]) => layoutGraph(graphOf(flow(nodes, edges)));

  test('listeners are right of their emitters', () => {
    const positions = layoutOf(['a', 'b', 'c'], [edge('a', 'b'), edge('b', 'c')]);
    const x = (id: string) => positions.get(id)?.x ?? Number.NaN;
    expect(x('a')).toBeLessThan(x('b'));
    expect(x('b')).toBeLessThan(x('c'));
  });

  test.each([
    ['a cycle', ['a', 'b', 'c'], [edge('a', 'b'), edge('b', 'c'), edge('c', 'a')]],
    ['a node that listens to itself', ['a'], [edge('a', 'a')]],
    ['two nodes that listen to each other', ['a', 'b'], [edge('a', 'b'), edge('b', 'a')]],
    ['several parts', ['a', 'b', 'c', 'd', 'e'], [edge('a', 'b'), edge('c', 'd')]],
    ['ids with spaces and Unicode', ['ü 🚀', 'b\tc'], [edge('ü 🚀', 'b\tc')]],
  ])('%s has a position for each node, without overlaps', (_, nodes, edges) => {
    const positions = layoutOf(nodes, edges);
    expect([...positions.keys()].sort()).toEqual([...nodes].sort());
    for (const { x, y } of positions.values()) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
    expect(overlapping(positions)).toEqual([]);
  });

  test('nodes without connections are in rows below', () => {
    const alone = Array.from({ length: 12 }, (_, n) => `n${n}`);
    const positions = layoutOf(['a', 'b', ...alone], [edge('a', 'b')]);
    const y = (id: string) => positions.get(id)?.y ?? Number.NaN;
    expect(Math.min(...alone.map(y))).toBeGreaterThan(Math.max(y('a'), y('b')) + CARD.height);
    expect(new Set(alone.map(y)).size).toBe(3);
    expect(overlapping(positions)).toEqual([]);
  });

  test('an empty graph has no positions', () => {
    expect(layoutOf([], []).size).toBe(0);
  });

  test('hundreds of nodes do not overlap', () => {
    const nodes = Array.from({ length: 150 }, (_, n) => `n${n}`);
    const edges = nodes
      .slice(1)
      .map((id, n) => edge(`n${n % 12}`, id))
      .filter(({ from, to }) => from !== to);
    expect(overlapping(layoutOf(nodes, edges))).toEqual([]);
  });
});

describe('labelPositions', () => {
  /** The boxes of labels, as they are drawn. */
  function boxes(nodes: string[], edges: ReturnType<typeof edge>[]) {
    const graph = graphOf(flow(nodes, edges));
    const positions = layoutGraph(graph);
    const along = labelPositions(graph, positions);
    return graph.routes.map(({ id, from, to, channels }) => {
      const [start, end] = [positions.get(from), positions.get(to)];
      if (!start || !end) throw new Error('no position');
      const middle = CARD.height / 2;
      const ends = { from: { x: start.x + CARD.width, y: start.y + middle }, to: { x: end.x, y: end.y + middle } };
      const { x, y } = pointOn(ends, along.get(id) ?? Number.NaN);
      const width = Math.min(96, channelText(channels).length * 6.5) + 56;
      return { left: x - width / 2, right: x + width / 2, top: y - 11, bottom: y + 11 };
    });
  }
  const covered = (all: ReturnType<typeof boxes>) =>
    all.some((one, index) =>
      all
        .slice(index + 1)
        .some((two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom),
    );

  test('labels of crossing edges do not overlap', () => {
    const crossing = ['n', 's'].flatMap((from) =>
      ['h', 'q'].flatMap((to) => ['arrivals', 'departures'].map((channel) => edge(from, to, channel))),
    );
    const all = boxes(['n', 's', 'h', 'q'], crossing);
    expect(all).toHaveLength(4);
    expect(covered(all)).toBe(false);
  });

  test('labels of a fan do not overlap', () => {
    const listeners = ['a', 'b', 'c', 'd', 'e'];
    expect(
      covered(
        boxes(
          ['x', ...listeners],
          listeners.map((to) => edge('x', to, 'a-long-channel')),
        ),
      ),
    ).toBe(false);
  });

  test('cycles have labels', () => {
    const all = boxes(['a', 'b'], [edge('a', 'b'), edge('b', 'a')]);
    for (const box of all) expect(Object.values(box).every(Number.isFinite)).toBe(true);
  });

  test('an edge without positions has no label', () => {
    const graph = graphOf(flow(['a', 'b'], [edge('a', 'b')]));
    expect(labelPositions(graph, new Map()).size).toBe(0);
  });

  test('a curve starts and ends at its nodes', () => {
    for (const to of [
      { x: 300, y: 200 },
      { x: -300, y: -200 },
      { x: 0, y: 0 },
    ]) {
      const ends = { from: { x: 0, y: 0 }, to };
      expect(pointOn(ends, 0)).toEqual({ x: 0, y: 0 });
      expect(pointOn(ends, 1).x).toBeCloseTo(to.x);
      expect(pointOn(ends, 1).y).toBeCloseTo(to.y);
      expect(pointOn(ends, 0.5)).toEqual({ x: to.x / 2, y: to.y / 2 });
    }
  });
});

describe('state', () => {
  test.each([
    [{}, '0 events'],
    [{ events: 1 }, '1 event'],
    [{ active: false }, 'inactive'],
    [{ active: false, events: 2, errors: 1 }, 'inactive · 1 error · 2 events'],
    [{ kind: 'webhook' }, 'no backlog'],
    [{ kind: 'webhook', errors: 12_345, waiting: 1, active: false }, 'inactive · 12.3K failed · 1 pending'],
    [{ kind: 'every' }, 'x'],
  ] as const)('stateText(%j)', (more, expected) => {
    expect(stateText(node('x', more as Partial<FlowNode>))).toBe(expected);
  });

  test('a node fails by its errors or by live errors', () => {
    expect(failing(node('x'))).toBe(false);
    expect(failing(node('x', { errors: 1 }))).toBe(true);
    expect(failing(node('x'), 0.2)).toBe(true);
  });
});

describe('rates', () => {
  test.each([
    [0, ''],
    [0.2, '<1/s'],
    [1, '1/s'],
    [12.4, '12/s'],
    [12_345, '12,345/s'],
  ])('rateText(%d)', (rate, expected) => {
    expect(rateText(rate)).toBe(expected);
  });

  test('traffic counts for its edge and its nodes', () => {
    const rates = new LiveRates(() => new Set(['dc_1>w', '*>w']));
    const traffic = {
      routes: [
        { from: 'dc_1', to: 'w', count: 5 },
        { from: 'dc_2', to: 'w', count: 10 },
        { from: 'dc_2', to: 'unknown', count: 10 },
      ],
      emitters: { dc_1: { events: 5, errors: 0 }, dc_2: { events: 0, errors: 2 } },
      webhooks: { w: { delivered: 5, failed: 1 } },
    };
    rates.add(traffic as unknown as Parameters<LiveRates['add']>[0]);
    expect(rates.onRoute('dc_1>w')).toBe(1);
    expect(rates.onRoute('*>w')).toBe(2);
    expect(rates.onRoute('dc_2>unknown')).toBe(0);
    expect([rates.events('dc_1'), rates.errors('dc_2'), rates.events('w'), rates.errors('w')]).toEqual([
      1, 0.4, 1, 0.2,
    ]);
    expect(rates.events('unknown')).toBe(0);
  });
});
