import { expect, test } from 'vitest';
import type { ImportedComponent, ImportStep } from '../../api/imports';
import { archiveError, nameOfArchive } from './archive';
import { addSteps, byReason, doneOf, noProgress, positionOf } from './progress';

const component = (path: string, more: Partial<ImportedComponent> = {}): ImportedComponent => ({
  path,
  outcome: 'registered',
  ...more,
});
const broken = (path: string, reason?: ImportedComponent['reason']) =>
  component(path, { outcome: 'failed', ...(reason ? { reason } : {}), errors: [{ message: 'no' }] });

test('steps add up to counts, broken components and removed files', () => {
  const steps: ImportStep[] = [
    { step: 'begun', import_id: 'imp_1', total: 5, skipped: 2 },
    { step: 'components', components: [component('a', { outcome: 'unchanged' })] },
    { step: 'components', components: [component('b'), component('c', { outcome: 'updated' }), broken('d')] },
    { step: 'removed', files: [{ path: 'e', pruned: true }] },
    { step: 'removed', files: [{ path: 'f', key: 'x-f', pruned: false }] },
  ];
  const progress = addSteps(noProgress(), steps);
  expect(progress).toMatchObject({ total: 5, importId: 'imp_1', skipped: 2, end: undefined });
  expect(progress.counts).toEqual({ registered: 1, updated: 1, unchanged: 1, failed: 1 });
  expect(doneOf(progress)).toBe(4);
  expect(progress.broken.map(({ path }) => path)).toEqual(['d']);
  expect(progress.removed.map(({ path }) => path)).toEqual(['e', 'f']);
  expect(addSteps(progress, [{ step: 'finished' }]).end).toEqual({ kind: 'finished' });
  expect(addSteps(progress, [{ step: 'failed', error: 'gone' }]).end).toEqual({ kind: 'failed', error: 'gone' });
});

test('an import without changes and a check have no id', () => {
  expect(addSteps(noProgress(), [{ step: 'begun', total: 0, skipped: 0 }]).importId).toBeUndefined();
  const checked = [{ step: 'apps', apps: [{ name_slug: 'a', fields: [] }] }] as ImportStep[];
  expect(addSteps(noProgress(), checked).apps).toHaveLength(1);
});

test('unknown steps are ignored', () => {
  const start = noProgress();
  expect(addSteps(start, [{ step: 'later' } as unknown as ImportStep])).toEqual(start);
});

test('only the broken ones of many components are kept', () => {
  let progress = noProgress();
  for (let batch = 0; batch < 150; batch += 1) {
    const components = Array.from({ length: 100 }, (_, index) => component(`${batch}/${index}`));
    progress = addSteps(progress, [{ step: 'components', components }]);
  }
  expect(doneOf(progress)).toBe(15_000);
  expect(progress.broken).toEqual([]);
});

test('broken components are grouped by the step that failed', () => {
  const unknown = { ...broken('e'), reason: 'new' } as unknown as ImportedComponent;
  const groups = byReason([broken('a', 'key'), broken('b', 'code'), broken('c'), broken('d', 'key'), unknown]);
  expect(groups.map(({ reason, components }) => [reason, components.map(({ path }) => path)])).toEqual([
    ['code', ['b']],
    ['key', ['a', 'd']],
    ['other', ['c', 'e']],
  ]);
});

test.each([
  [{}, undefined],
  [{ line: 3 }, 'a/b.mjs:3'],
  [{ line: 3, column: 7 }, 'a/b.mjs:3:7'],
  [{ file: 'a/c.mjs', line: 3, column: 7 }, 'a/c.mjs:3:7'],
  [{ file: 'a/c.mjs' }, 'a/c.mjs'],
])('the position of an error with %j is %s', (position, expected) => {
  expect(positionOf('a/b.mjs', { message: 'no', ...position })).toBe(expected);
});

test.each([
  ['components.tar', 'components'],
  ['components.tar.gz', 'components'],
  ['Components.TGZ', 'Components'],
  ['components-1.4.0.tar.gz', 'components'],
  ['components-v2.tgz', 'components'],
  ['acme-components-3f2a91c.tar.gz', 'acme-components'],
  ['components (3).tar.gz', 'components'],
  ['components.tar (1).gz', 'components'],
  ['1.0.tar', '1.0'],
  ['web3.tar', 'web3'],
  ['.tar', ''],
])('the name of %s is %s', (file, expected) => {
  expect(nameOfArchive(file)).toBe(expected);
});

test('only archives up to the limit of the server are accepted', () => {
  expect(archiveError({ name: 'a.zip', size: 1 })).toMatch(/\.tgz file/);
  expect(archiveError({ name: 'a.tar', size: 600 * 1024 ** 2 })).toMatch(/larger than/);
  for (const name of ['a.tar', 'a.tar.gz', 'A.TGZ', 'a.tar (2).gz'])
    expect(archiveError({ name, size: 1 })).toBeUndefined();
});
