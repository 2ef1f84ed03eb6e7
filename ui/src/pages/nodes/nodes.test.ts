import { expect, test } from 'vitest';
import type { ClusterNode } from '../../api/types';
import { alarmsOn, ownsDatabase, remarksOn, sorted } from './nodes';

function node(name: string, changes: Partial<ClusterNode> = {}): ClusterNode {
  return {
    name,
    incarnation: name,
    state: 'active',
    current: false,
    version: '1.0.0',
    address: '10.0.0.1:4000',
    public_url: 'https://sluice.example.com',
    started_at: 1_000,
    lease_left_ms: 2_500,
    ...changes,
  };
}
const alarms = (...nodes: ClusterNode[]) => alarmsOn(nodes).map(({ title }) => title);
const remarks = (...nodes: ClusterNode[]) => remarksOn(nodes).map(({ title }) => title);

test('running nodes come first, then names decide', () => {
  const nodes = [node('d', { state: 'stopped' }), node('b'), node('c', { state: 'lost' }), node('a')];
  expect(sorted([node('e', { state: 'draining' }), ...nodes]).map(({ name }) => name)).toEqual([
    'a',
    'b',
    'e',
    'c',
    'd',
  ]);
});

test('a node without a lease is alone on its database', () => {
  expect(ownsDatabase([node('a', { lease_left_ms: null })])).toBe(true);
  expect(ownsDatabase([node('a', { state: 'lost', lease_left_ms: 0 })])).toBe(false);
  expect(ownsDatabase([])).toBe(false);
});

test('healthy nodes need no note', () => {
  const nodes = [node('a', { current: true }), node('b'), node('c', { state: 'stopped' })];
  expect([...alarms(...nodes), ...remarks(...nodes)]).toEqual([]);
});

test('a lost node is reported unless it was started again', () => {
  const lost = node('b', { state: 'lost', lease_left_ms: 0 });
  expect(alarms(node('a'), lost)).toEqual(['b has lost its lease']);
  expect(alarms(node('a'), lost, node('b', { started_at: 2_000 }))).toEqual([]);
});

test('several starts of one lost node are one note', () => {
  const starts = [1, 2].map((started_at) => node('b', { state: 'lost', started_at }));
  expect(alarms(node('a'), ...starts)).toEqual(['b has lost its lease']);
});

test('the note says whether a node can take over', () => {
  const lost = node('b', { state: 'lost' });
  expect(alarmsOn([node('a'), lost])[0]?.text).toContain('Active nodes take over');
  expect(alarmsOn([node('a', { state: 'draining' }), lost])[0]?.text).toContain('No node is active');
});

test('a connected node without a lease knows nothing of the others', () => {
  const lost = node('b', { state: 'lost' });
  expect(alarms(node('a', { state: 'lost', current: true }), lost)).toEqual([
    'a, which answers this page, has lost its lease',
  ]);
});

test('draining nodes and mixed versions are reported', () => {
  expect(remarks(node('a'), node('b', { state: 'draining', version: '1.1.0' }))).toEqual([
    'b is draining',
    'Nodes run different versions',
  ]);
  expect(remarks(node('a'), node('b', { state: 'stopped', version: '0.9.0' }))).toEqual([]);
});
