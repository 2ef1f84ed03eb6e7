import { describe, expect, it } from 'vitest';
import type { TraceNode } from '../../api/types';
import { axisOf, barOf, hrefOf, refetchDelay, shownNodes } from './trace';

const node = (key: string, fields: Partial<TraceNode> = {}): TraceNode => ({
  key,
  parent: null,
  depth: 0,
  kind: 'event',
  id: key,
  name: key,
  status: 'succeeded',
  started_at_ms: 1_000,
  duration_ms: null,
  error: null,
  replay: false,
  truncated: false,
  ...fields,
});

describe('the waterfall', () => {
  it('shows bars in percent of the whole trace', () => {
    const nodes = [node('a'), node('b', { started_at_ms: 1_100, duration_ms: 300 })];
    const axis = axisOf(nodes, 9_000);
    expect(axis).toEqual({ startMs: 1_000, lengthMs: 400 });
    expect(barOf(nodes[1] as TraceNode, axis)).toEqual({ left: 25, width: 75 });
    expect(barOf(nodes[0] as TraceNode, axis)).toEqual({ left: 0, width: 0 });
  });

  it('reaches to now while something is not over', () => {
    const nodes = [node('a', { status: 'running' })];
    expect(axisOf(nodes, 3_000)).toEqual({ startMs: 1_000, lengthMs: 2_000 });
  });
});

it('a collapsed node hides everything below it', () => {
  const nodes = [node('a'), node('b', { parent: 'a' }), node('c', { parent: 'b' }), node('d')];
  const keys = shownNodes(nodes, new Set(['a'])).map(({ key }) => key);
  expect(keys).toEqual(['a', 'd']);
});

it('a trace that is over is not fetched again', () => {
  const nodes = [node('a')];
  expect(refetchDelay({ nodes }, 60_000)).toBe(false);
  expect(refetchDelay({ nodes }, 2_000)).toBeGreaterThan(0);
  expect(refetchDelay({ nodes: [node('a', { status: 'waiting' })] }, 60_000)).toBeGreaterThan(0);
});

it('each kind has its page', () => {
  expect(hrefOf(node('1-0', { emitter_id: 'dc_a' }))).toBe('/sources/dc_a?event=1-0');
  expect(hrefOf(node('r', { kind: 'step', emitter_id: 'p_a', run_id: 'r' }))).toBe('/workflows/p_a/runs/r');
  expect(hrefOf(node('t', { kind: 'trigger' }))).toBeUndefined();
});
