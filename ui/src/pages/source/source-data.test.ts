import { describe, expect, test } from 'vitest';
import type { EventSummary, LogLine } from '../../api/types';
import { areSame, codeFields, codeFiles } from './code/code-files';
import { retentionForm, retentionOf } from './configuration/retention';
import { byDay, rowOf, rowOfMessage } from './events/rows';
import { byInvocation, itemsOf, levelOf, textOf, withLevel } from './logs/invocations';
import { stackOf } from './logs/stack';
import { eventOfSample, takesSample } from './sample-event';

describe('the event of a sample', () => {
  const http = { endpoint_url: 'http://localhost/e/x' };
  const timer = { cron: null, interval_seconds: 60 };

  test('an endpoint receives it as the body of a request', () => {
    const request = {
      method: 'POST',
      path: '/',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: [1],
    };
    for (const props of [{ http }, { http, timer }]) {
      expect(takesSample(props)).toBe(true);
      expect(eventOfSample(props, [1])).toEqual(request);
    }
  });

  test('a source without endpoint and timer receives it as it is, and a timer does not', () => {
    expect(takesSample({ word: 'a' })).toBe(true);
    expect(eventOfSample({ word: 'a' }, { id: 1 })).toEqual({ id: 1 });
    expect(takesSample({ timer })).toBe(false);
  });
});

describe('code files', () => {
  const files = { path: 'a/main.mjs', files: { 'a/lib.ts': 'export {}\r\n' } };

  test('code without files has one text', () => {
    expect(codeFiles({ code: 'x' })).toEqual({ entry: '', texts: { '': 'x' } });
    expect(codeFields({ entry: '', texts: { '': 'x' } })).toEqual({ component_code: 'x' });
  });

  test('the entry is the first file, and the request has the same parts', () => {
    const code = codeFiles({ code: 'ü\r\n\t', files });
    expect(Object.keys(code.texts)).toEqual(['a/main.mjs', 'a/lib.ts']);
    expect(codeFields(code)).toEqual({ component_code: 'ü\r\n\t', component_files: files });
  });

  test('code is the same only with the same entry, paths and texts', () => {
    const code = codeFiles({ code: 'x', files });
    expect(areSame(code, codeFiles({ code: 'x', files }))).toBe(true);
    expect(areSame(code, codeFiles({ code: 'y', files }))).toBe(false);
    expect(areSame(code, codeFiles({ code: 'x', files: { path: 'a/main.mjs', files: {} } }))).toBe(false);
    expect(areSame(code, codeFiles({ code: 'x', files: { ...files, path: 'b.mjs' } }))).toBe(false);
    expect(areSame({ entry: '', texts: { a: '' } }, { entry: '', texts: { b: '' } })).toBe(false);
  });
});

describe('retention', () => {
  test.each([
    [undefined, { events: '', age: '', unit: 86_400 }],
    [
      { max_events: 20, max_age_seconds: null },
      { events: '20', age: '', unit: 86_400 },
    ],
    [
      { max_events: null, max_age_seconds: 172_800 },
      { events: '', age: '2', unit: 86_400 },
    ],
    [
      { max_events: null, max_age_seconds: 5_400 },
      { events: '', age: '90', unit: 60 },
    ],
    [
      { max_events: null, max_age_seconds: 7_200 },
      { events: '', age: '2', unit: 3_600 },
    ],
  ])('the form of %j', (retention, expected) => {
    expect(retentionForm(retention)).toEqual(expected);
  });

  test('an age that no unit divides is kept', () => {
    const form = retentionForm({ max_events: null, max_age_seconds: 90 });
    expect(retentionOf(form)).toEqual({ max_events: null, max_age_seconds: 90 });
  });

  test.each([
    ['', '', null],
    ['  ', '', null],
    ['20', '', { max_events: 20, max_age_seconds: null }],
    [' 20 ', '2', { max_events: 20, max_age_seconds: 7_200 }],
    ['0', '', undefined],
    ['-1', '', undefined],
    ['1.5', '', undefined],
    ['none', '', undefined],
    ['1', 'x', undefined],
    ['٣', '', undefined],
  ])('%j events and an age of %j hours', (events, age, expected) => {
    expect(retentionOf({ events, age, unit: 3_600 })).toEqual(expected);
  });
});

const summary = (event: unknown, metadata: object = {}, ms = 0) =>
  ({ id: `e${ms}`, indexed_at_ms: ms, event, metadata: { name: '', ...metadata } }) as unknown as EventSummary;

describe('event rows', () => {
  test.each([
    [summary({ a: 1 }), '{"a":1}', false],
    [summary({ a: 1 }, { summary: 'An order' }), 'An order', true],
    [summary({ a: 1 }, { summary: '' }), '{"a":1}', false],
    [summary({ a: 1 }, { summary: null }), '{"a":1}', false],
    [summary('x', { summary: 0 }), '0', true],
    [summary(' two\r\n\tlines '), 'two lines', false],
    [summary(null), 'null', false],
    [summary(undefined), '', false],
    [summary({ $truncated: true, preview: '{"a":' }), '{"a":', false],
    [summary('\u202egnp.exe'), '\\u202egnp.exe', false],
  ])('the row of an event', (event, line, summarised) => {
    expect(rowOf(event)).toMatchObject({ line, summarised });
  });

  test('a long line is cut', () => {
    expect(rowOf(summary('y'.repeat(1_000))).line).toHaveLength(240);
  });

  test('of a large message only the beginning of the event is used', () => {
    const small = JSON.stringify(summary({ a: 'x' }));
    expect(rowOfMessage(small).line).toBe('{"a":"x"}');
    const large = rowOfMessage(JSON.stringify(summary({ a: 'x'.repeat(20_000) })));
    expect(large.line).toHaveLength(240);
    expect(large.line.startsWith('{"a":"xxx')).toBe(true);
  });

  test('rows are grouped by local day', () => {
    const now = Date.parse('2024-05-15T12:00:00Z');
    // 22:00 UTC is midnight in Berlin.
    const rows = ['2024-05-15T10:00:00Z', '2024-05-14T22:00:00Z', '2024-05-14T21:59:00Z'].map((time) =>
      rowOf(summary(1, {}, Date.parse(time))),
    );
    const items = byDay(rows, now).map((item) => (item.kind === 'day' ? item.name : 'event'));
    expect(items).toEqual(['Today', 'event', 'event', 'Yesterday', 'event']);
    expect(byDay([], now)).toEqual([]);
  });
});

const line = (id: number, invocation_id: string | null, more: Partial<LogLine> = {}) =>
  ({ id: String(id), ts: id * 10, level: 'info', msg: `line ${id}`, invocation_id, ...more }) as LogLine;

describe('invocations', () => {
  test('lines are grouped, newest invocation first, oldest line first', () => {
    const groups = byInvocation([
      line(5, 'b'),
      line(4, 'a'),
      line(3, 'b', { level: 'error' }),
      line(2, 'a'),
      line(1, 'a'),
    ]);
    expect(groups.map(({ key, lines }) => [key, lines.map(({ id }) => id)])).toEqual([
      ['b', ['3', '5']],
      ['a', ['1', '2', '4']],
    ]);
    expect(groups[0]).toMatchObject({ start: 30, end: 50, errors: 1 });
    expect(byInvocation([])).toEqual([]);
  });

  test('consecutive lines without an invocation form a group', () => {
    const groups = byInvocation([line(5, null), line(4, null), line(3, 'a'), line(2, null)]);
    expect(groups.map(({ id, lines }) => [id, lines.length])).toEqual([
      [undefined, 2],
      ['a', 1],
      [undefined, 1],
    ]);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(3);
  });

  test('a level is a term of the query', () => {
    expect(withLevel('apples', undefined)).toBe('apples');
    expect(withLevel('', 'error')).toBe('level:error');
    expect(withLevel('apples', 'warn')).toBe('-level:debug -level:info apples');
    expect([levelOf('warn'), levelOf('odd'), levelOf(undefined)]).toEqual(['warn', undefined, undefined]);
  });

  test('lines are under their invocations', () => {
    const lines = [line(3, 'b'), line(2, 'a'), line(1, 'a')];
    expect(itemsOf(byInvocation(lines)).map(({ key }) => key)).toEqual(['b', '3', 'a', '1', '2']);
    expect(itemsOf([])).toEqual([]);
  });

  test('an invocation as text', () => {
    const [group] = byInvocation([line(2, 'a', { level: 'error' }), line(1, 'a')]);
    expect(group && textOf(group)).toBe('1970-01-01T00:00:00.010Z info line 1\n1970-01-01T00:00:00.020Z error line 2');
  });
});

describe('stackOf', () => {
  test('frames of the component are apart', () => {
    const text =
      'TypeError: no such order\nin two lines\n    at refuse (component.js:18:9)\n    at Object.run (file:///x/component.mts:5:3)\n    at async node:internal:1:1\n\n';
    expect(stackOf(text)).toEqual({
      message: 'TypeError: no such order\nin two lines',
      own: [
        { place: 'refuse (component.js:18:9)', line: 18 },
        { place: 'Object.run (file:///x/component.mts:5:3)', line: 5 },
      ],
      others: ['at async node:internal:1:1'],
    });
  });

  test('text without frames is no stack', () => {
    for (const text of ['', 'plain', '    at the start', 'look at it\nat once']) expect(stackOf(text)).toBeUndefined();
  });

  test('other files are not the component', () => {
    expect(stackOf('E\n    at mycomponent.js:1:1')?.own).toEqual([]);
    expect(stackOf('E\n    at component.json:1:1')?.own).toEqual([]);
    expect(stackOf('E\n    at component.js:7:1')?.own).toEqual([{ place: 'component.js:7:1', line: 7 }]);
  });

  test('lines may end with CR LF', () => {
    expect(stackOf('E\r\n    at run (component.js:7:1)\r\n')?.own).toEqual([
      { place: 'run (component.js:7:1)', line: 7 },
    ]);
  });
});
