import { describe, expect, test } from 'vitest';
import { type Line, leafOf, linesOf, MAX_LINES, quoted, textOf, visible } from './lines';
import { pathTo, Tree } from './tree.svelte';

const written = ({ depth, key, shown, comma }: Line) => {
  const start = key === undefined ? '' : `${quoted(key)}: `;
  const content = 'leaf' in shown ? leafOf(shown.leaf).text : shown.bracket;
  return `${'  '.repeat(depth)}${start}${content}${comma ? ',' : ''}`;
};
const pretty = (value: unknown) => linesOf(value).lines.map(written).join('\n');

describe('linesOf', () => {
  test.each([
    [null],
    ['text'],
    [0],
    [[]],
    [{}],
    [[[], {}, [1]]],
    [{ a: { b: [1, { c: null }], 'd e': 'ü\n"' }, f: true }],
    [{ __proto__x: 1, '': '' }],
  ])('%j is written as by JSON.stringify', (value) => {
    expect(pretty(value)).toBe(JSON.stringify(value, null, 2));
    expect(linesOf(value).cut).toBe(false);
  });

  test('many values are cut at the limit', () => {
    const { lines, cut } = linesOf(Array.from({ length: MAX_LINES + 5 }, (_, n) => n));
    expect([lines.length, cut]).toEqual([MAX_LINES, true]);
  });

  test('values of any depth are supported', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 20_000; depth += 1) value = [value];
    expect(linesOf(value).lines).toHaveLength(40_001);
  });
});

describe('text', () => {
  test('invisible and direction characters are escaped', () => {
    expect(visible('\u202egnp.exe\u2066 \u200b\u00ad\ufeff\u007f')).toBe(
      '\\u202egnp.exe\\u2066 \\u200b\\u00ad\\ufeff\\u007f',
    );
    expect(visible('ünï 日本 🚀\n\t')).toBe('ünï 日本 🚀\n\t');
    expect(quoted('a"\u202e')).toBe('"a\\"\\u202e"');
  });

  test('leaves have a kind, and long strings are cut', () => {
    expect(leafOf('a')).toEqual({ kind: 'string', text: '"a"', hidden: 0 });
    expect(leafOf(1e21)).toEqual({ kind: 'number', text: '1e+21', hidden: 0 });
    expect(leafOf(-0)).toEqual({ kind: 'number', text: '0', hidden: 0 });
    expect(leafOf(null)).toEqual({ kind: 'keyword', text: 'null', hidden: 0 });
    expect(leafOf(true)).toEqual({ kind: 'keyword', text: 'true', hidden: 0 });
    expect(leafOf('y'.repeat(400)).hidden).toBe(0);
    expect(leafOf('y'.repeat(1_000))).toEqual({ kind: 'string', text: `"${'y'.repeat(400)}…`, hidden: 600 });
  });

  test('values are copied as text', () => {
    expect(textOf('a "b"')).toBe('a "b"');
    expect(textOf([1])).toBe('[\n  1\n]');
    expect(textOf(undefined)).toBe('');
    expect(textOf(null)).toBe('null');
  });
});

test.each([
  ['event', 'a', 'event.a'],
  ['', 'a', 'a'],
  ['', 0, '[0]'],
  ['event', 3, 'event[3]'],
  ['event', 'full name', 'event["full name"]'],
  ['event', '0', 'event["0"]'],
  ['event', '', 'event[""]'],
  ['event', 'größe_$1', 'event.größe_$1'],
  ['event', 'a"b', 'event["a\\"b"]'],
  ['event', '🚀', 'event["🚀"]'],
])('pathTo(%j, %j)', (parent, name, expected) => {
  expect(pathTo(parent, name)).toBe(expected);
});

describe('Tree', () => {
  const paths = (tree: Tree) => tree.nodes.map(({ path }) => path);

  test('small nodes are open down to a depth', () => {
    const tree = new Tree({ a: { b: { c: { d: 1 } } }, many: Array.from({ length: 61 }, () => 0) }, 'event');
    expect(paths(tree)).toEqual(['event', 'event.a', 'event.a.b', 'event.a.b.c', 'event.many']);
  });

  test('a node is toggled', () => {
    const tree = new Tree({ a: [1, 2], b: 3 }, 'event');
    expect(paths(tree)).toEqual(['event', 'event.a', 'event.a[0]', 'event.a[1]', 'event.b']);
    const a = tree.nodes[1];
    if (a) tree.toggle(a);
    expect(paths(tree)).toEqual(['event', 'event.a', 'event.b']);
    const closed = tree.nodes[1];
    if (closed) tree.toggle(closed);
    expect(paths(tree)).toHaveLength(5);
  });

  test('empty containers and primitive values are leaves', () => {
    expect(new Tree([], 'x').nodes).toMatchObject([{ path: 'x', size: 0, open: false }]);
    expect(new Tree(null, 'x').nodes).toMatchObject([{ path: 'x', size: undefined, open: false }]);
  });

  test('the number of nodes is limited', () => {
    expect(
      new Tree(
        Array.from({ length: MAX_LINES + 5 }, () => 0),
        'x',
      ).nodes,
    ).toHaveLength(MAX_LINES);
  });
});
