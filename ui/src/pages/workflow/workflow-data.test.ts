import { describe, expect, test } from 'vitest';
import type { Run, RunStep } from '../../api/types';
import { curlOf } from '../../parts/curl';
import { type DiffLine, difference, folded } from '../../parts/versions/difference';
import { Draft } from './document/draft.svelte';
import { parseEvent } from './event';
import { marksOf, stepOf } from './run/axis';
import { exportsOf, readError, readLogs, secretNames } from './run/reading';
import { isOver, isRunState, tone } from './run/states';
import { defaultRow, durationText, timeline } from './run/timeline';
import { channelText, kindOfRun, scheduleText, triggerSources } from './triggers';

const step = (name: string, position: number, started: number, duration: number, more: Partial<RunStep> = {}) =>
  ({
    name,
    position,
    attempt: 1,
    state: 'completed',
    started_at_ms: started,
    duration_ms: duration,
    ...more,
  }) as RunStep;
const run = (steps: RunStep[], more: Partial<Run> = {}) =>
  ({ state: 'succeeded', accepted_at_ms: 1_000, started_at_ms: 1_100, finished_at_ms: 2_000, steps, ...more }) as Run;

describe('timeline', () => {
  test('a finished run has its steps on the axis', () => {
    const line = timeline(run([step('a', 0, 1_100, 200), step('b', 1, 1_300, 700)]), ['a', 'b'], 9_999);
    expect(line).toMatchObject({ lengthMs: 1_000, over: true });
    expect(line.rows.map(({ name, kind, span }) => [name, kind, span])).toEqual([
      ['trigger', 'trigger', undefined],
      ['a', 'ran', { from: 100, to: 300 }],
      ['b', 'ran', { from: 300, to: 1_000 }],
    ]);
    expect(line.rows[0]?.wait).toEqual({ from: 0, to: 100, text: 'until first step' });
  });

  test('a running step is not recorded yet and lasts until now', () => {
    const given = run([step('a', 0, 1_100, 200)], { state: 'running', finished_at_ms: null });
    const line = timeline(given, ['a', 'b', 'c'], 3_000);
    expect(line.rows.map(({ name, kind, span }) => [name, kind, span])).toEqual([
      ['trigger', 'trigger', undefined],
      ['a', 'ran', { from: 100, to: 300 }],
      ['b', 'running', { from: 300, to: 2_000 }],
      ['c', 'upcoming', undefined],
    ]);
    expect(line.rows.map((row) => durationText(row, line.over))).toEqual([
      '100 ms',
      '200 ms',
      'running 1.7 s',
      'pending',
    ]);
  });

  test('waits between attempts have a reason, and short pauses are none', () => {
    const steps = [
      step('a', 0, 1_100, 100, { state: 'failed', waited_for: 'retry' }),
      step('a', 0, 2_200, 100, { attempt: 2 }),
      step('b', 1, 2_310, 10),
    ];
    const { rows } = timeline(run(steps, { finished_at_ms: 2_400 }), ['a', 'b'], 0);
    expect(rows.map(({ wait }) => wait?.text)).toEqual(['until first step', 'until retry', undefined, undefined]);
    expect(rows[1]?.wait).toMatchObject({ from: 200, to: 1_200 });
  });

  test('a waiting run waits until now, and its step comes again', () => {
    const steps = [step('ask', 0, 1_100, 100, { state: 'suspended', waited_for: 'suspend' })];
    const { rows } = timeline(run(steps, { state: 'waiting', finished_at_ms: null }), ['ask', 'tell'], 1_250);
    expect(rows[1]?.wait).toEqual({ from: 200, to: 250, text: 'suspended' });
    expect(rows.slice(2).map(({ name, kind }) => [name, kind])).toEqual([
      ['ask', 'upcoming'],
      ['tell', 'upcoming'],
    ]);
  });

  test('a replay shows reused steps without a bar', () => {
    const steps = [step('a', 0, 10, 50), step('b', 1, 1_200, 100)];
    const line = timeline(run(steps, { replay_of: 'r1' }), ['a', 'b'], 0);
    expect(line.rows.map(({ kind, span }) => [kind, span])).toEqual([
      ['trigger', undefined],
      ['reused', undefined],
      ['ran', { from: 200, to: 300 }],
    ]);
    expect(durationText(line.rows[1] as (typeof line.rows)[0], true)).toBe('reused · 50 ms');
  });

  test('a run without steps, and clocks that differ', () => {
    const queued = timeline(run([], { state: 'queued', started_at_ms: null, finished_at_ms: null }), ['a'], 500);
    expect(queued.lengthMs).toBe(1);
    expect(queued.rows.map(({ kind }) => kind)).toEqual(['trigger', 'upcoming']);
    const odd = timeline(run([step('a', 0, 1_500, 9_000)]), ['a'], 0);
    expect(odd.rows[1]?.span).toEqual({ from: 500, to: 1_000 });
    const failed = timeline(run([], { state: 'failed', finished_at_ms: null }), ['a'], 9_000);
    expect(failed.rows.map((row) => durationText(row, failed.over))).toEqual(['1 ms', 'not run']);
  });

  test('the last failed step is selected, else the last one, else the trigger', () => {
    const rows = (steps: RunStep[]) => timeline(run(steps), [], 0).rows;
    expect(defaultRow(rows([]))).toBe('trigger');
    expect(defaultRow(rows([step('a', 0, 1_100, 1), step('b', 1, 1_200, 1)]))).toBe('1');
    expect(defaultRow(rows([step('a', 0, 1_100, 1, { state: 'failed' }), step('b', 1, 1_200, 1)]))).toBe('0');
  });
});

describe('axis', () => {
  test.each([
    [1, 1],
    [5, 1],
    [6, 2],
    [1_000, 200],
    [61_000, 15_000],
    [3_600_000, 900_000],
    [86_400_000, 21_600_000],
    [10 * 86_400_000, 2 * 86_400_000],
    [1_000 * 86_400_000, 200 * 86_400_000],
  ])('a length of %d ms has marks every %d ms', (length, expected) => {
    expect(stepOf(length)).toBe(expected);
    expect(marksOf(length).length).toBeLessThanOrEqual(6);
  });

  test('marks have round times', () => {
    const texts = (length: number) => marksOf(length).map(({ text }) => text);
    expect(texts(1_000)).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms', '1 s']);
    expect(texts(150_000)).toEqual(['0', '30 s', '1 min', '1.5 min', '2 min', '2.5 min']);
    expect(texts(7_200_000)).toEqual(['0', '30 min', '1 h', '1.5 h', '2 h']);
    expect(texts(100 * 86_400_000).at(-1)).toBe('2,400 h');
    expect(texts(0)).toEqual(['0']);
  });
});

describe('reading', () => {
  test('invalid parts are dropped', () => {
    expect(readError(null)).toBeUndefined();
    expect(readError([])).toBeUndefined();
    expect(readError({ step: '', code: 5 })).toEqual({ step: undefined, code: '', message: '', stack: '' });
    expect(readLogs('x')).toEqual([]);
    expect(readLogs([null, { ts: '5', level: 'info', message: 'm' }, { ts: 'x' }])).toEqual([
      { ts: 5, level: 'info', message: 'm' },
      { ts: 0, level: '', message: '' },
    ]);
    expect(exportsOf(5)).toEqual({ summary: '', count: 0 });
    expect(exportsOf({ $summary: 's', a: 1 })).toEqual({ summary: 's', count: 2 });
  });

  test('secrets of a definition', () => {
    const version = (definition: unknown) => ({ definition }) as Parameters<typeof secretNames>[0];
    expect(secretNames(version({ env: { A: 'secret', B: 'value' } }))).toEqual(['A']);
    expect(secretNames(version({ env: [] }))).toEqual([]);
  });

  test('states', () => {
    expect(['succeeded', 'failed', 'cancelled', 'running', ''].map(isOver)).toEqual([true, true, true, false, false]);
    expect(isRunState('failed')).toBe(true);
    expect(isRunState('toString')).toBe(false);
    expect([tone('failed'), tone('unknown')]).toEqual(['bad', 'neutral']);
  });
});

describe('difference', () => {
  const written = (lines: DiffLine[]) => lines.map(({ sign, text }) => `${sign}${text}`);
  const diff = (before: string, after: string) => written(difference(before, after));

  test.each([
    ['', '', []],
    ['a', 'a', [' a']],
    ['', 'a\nb\n', ['+a', '+b']],
    ['a\nb\n', '', ['-a', '-b']],
    ['a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
    ['a\na\na\n', 'a\na\n', [' a', ' a', '-a']],
    ['a\nb\n', 'b\na\n', ['-a', ' b', '+a']],
    ['ü🚀\n', 'ü🛸\n', ['-ü🚀', '+ü🛸']],
    ['a\r\n', 'a\n', ['-a\r', '+a']],
    ['a\tb', 'a b', ['-a\tb', '+a b']],
    ['\n\n', '\n', [' ', '-']],
  ])('%j to %j', (before, after, expected) => {
    expect(diff(before, after)).toEqual(expected);
  });

  test('lines have their numbers in both texts', () => {
    expect(difference('a\nb\nc', 'a\nc').map(({ before, after }) => [before, after])).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
    ]);
  });

  test('the difference leads from one text to the other', () => {
    const before = Array.from({ length: 60 }, (_, n) => `line ${(n * 7) % 20}`).join('\n');
    const after = Array.from({ length: 50 }, (_, n) => `line ${(n * 11) % 20}`).join('\n');
    const lines = difference(before, after);
    const side = (sign: '-' | '+') =>
      lines
        .filter((line) => line.sign !== sign)
        .map(({ text }) => text)
        .join('\n');
    expect(side('+')).toBe(before);
    expect(side('-')).toBe(after);
  });

  test('huge texts are shown as replaced', () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n');
    const lines = difference(`same\n${text('a')}`, `same\n${text('b')}`);
    expect(lines).toHaveLength(6_001);
    expect(lines[0]?.sign).toBe(' ');
  });

  test('unchanged lines are folded, except around changes', () => {
    const text = Array.from({ length: 20 }, (_, n) => `${n}`);
    const parts = folded(difference(text.join('\n'), text.with(10, 'x').join('\n')));
    expect(parts.map((part) => (part.kind === 'same' ? part.count : part.lines.length))).toEqual([7, 8, 6]);
    expect(folded(difference('a\nb', 'a\nb'))).toEqual([{ kind: 'same', count: 2 }]);
    expect(folded([])).toEqual([]);
  });
});

describe('Draft', () => {
  const content = { document: 'name: a\n', files: { './a.mjs': 'x' } };

  test('an unchanged example is not an unsaved change', () => {
    const draft = new Draft();
    draft.start('example');
    expect([draft.changed, draft.unsaved]).toEqual([true, false]);
    draft.document = 'example!';
    expect(draft.unsaved).toBe(true);
  });

  test('changes of the document and of files are unsaved', () => {
    const draft = new Draft();
    draft.load(content);
    expect([draft.changed, draft.unsaved]).toEqual([false, false]);
    draft.document = 'name: a\r\n';
    expect(draft.unsaved).toBe(true);
    draft.document = content.document;
    expect(draft.unsaved).toBe(false);
    draft.files = [{ path: './b.mjs', text: 'x' }];
    expect(draft.unsaved).toBe(true);
    draft.markDeployed();
    expect(draft.unsaved).toBe(false);
  });

  test('secrets alone are sent without the document, and only if they are declared', () => {
    const draft = new Draft();
    draft.load(content);
    draft.secrets = { A: '1', B: '', C: '3' };
    expect(draft.unsaved).toBe(true);
    expect(draft.body(['A', 'B'])).toEqual({ secrets: { A: '1' } });
    draft.document = 'other';
    expect(draft.body(['A'])).toEqual({ document: 'other', files: content.files, secrets: { A: '1' } });
  });
});

describe('triggers', () => {
  test('the sources among the triggers are those with events of their own, each once', () => {
    const events = (emitter_id: string, event_name = '') => ({ type: 'events', emitter_id, event_name }) as const;
    const http = { type: 'http', custom_response: false, endpoint_url: null } as const;
    const others = [http, events('p_a'), events('dc_*'), events('p_*')];
    expect(triggerSources(others)).toEqual([]);
    const sources = [events('dc_b'), events('dc_a', 'audit'), events('dc_b', 'audit'), events('dc_c', '$errors')];
    expect(triggerSources([...others, ...sources])).toEqual(['dc_b', 'dc_a']);
  });

  test.each([
    [{ type: 'schedule', interval_seconds: 90 }, 'every 90 seconds'],
    [{ type: 'schedule', interval_seconds: 3_600 }, 'every hour'],
    [{ type: 'schedule', interval_seconds: 172_800 }, 'every 2 days'],
    [{ type: 'schedule', cron: '0 9 * * *' }, '0 9 * * *'],
    [{ type: 'schedule', cron: '0 9 * * *', timezone: 'UTC' }, '0 9 * * *'],
    [{ type: 'schedule', cron: '0 9 * * *', timezone: 'Asia/Tokyo' }, '0 9 * * * Asia/Tokyo'],
    [{ type: 'schedule' }, ''],
  ])('scheduleText(%j)', (trigger, expected) => {
    expect(scheduleText(trigger as Parameters<typeof scheduleText>[0])).toBe(expected);
  });

  test('channels, kinds and commands', () => {
    expect(['', 'default', 'paid'].map(channelText)).toEqual(['', '', ' · paid']);
    expect(['http', 'timer', 'event', 'other'].map(kindOfRun)).toEqual(['http', 'schedule', 'events', 'manual']);
    expect(curlOf('http://x/e/1')).toMatch(/^curl -X POST 'http:\/\/x\/e\/1'/);
  });

  test('the event of a manual run is JSON', () => {
    expect(parseEvent('')).toEqual({ valid: true, event: {} });
    expect(parseEvent(' \r\n\t')).toEqual({ valid: true, event: {} });
    expect(parseEvent('{"a": "ü"}\r\n')).toEqual({ valid: true, event: { a: 'ü' } });
    expect(parseEvent('null')).toEqual({ valid: true, event: null });
    expect(parseEvent('{ "a": ')).toMatchObject({ valid: false, error: expect.stringContaining('Invalid JSON: ') });
  });
});
