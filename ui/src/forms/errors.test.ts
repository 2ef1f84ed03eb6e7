import { describe, expect, test } from 'vitest';
import { ApiError, type ErrorBody, isMissing, Unreachable } from '../api/errors';
import { detailMessages, errorsByField, propErrors } from '../api/field-errors';
import { errorText, hookError } from '../api/hook-errors';
import { deployErrors } from '../pages/workflow/document/deploy-errors';
import { codeErrors } from './code-errors';
import { hookOutput, thrownErrors } from './hook-output';

const failure = (details: object, more: object = {}, status = 422) =>
  new ApiError(status, { error: 'invalid', details, ...more } as ErrorBody, 'Invalid');

test('only a 404 response means that something is missing', () => {
  expect(isMissing(failure({}, {}, 404))).toBe(true);
  expect(isMissing(failure({}))).toBe(false);
  expect(isMissing(new Unreachable())).toBe(false);
  expect(isMissing(undefined)).toBe(false);
});

test('errors of props are read from the details', () => {
  const entry = { prop: 'word', code: 'required', message: 'is required' };
  expect(propErrors(failure({ props: [entry, { prop: 'x' }, null, 'text'] }))).toEqual([entry]);
  expect(propErrors(failure({}))).toBeUndefined();
  expect(propErrors(new Error('other'))).toBeUndefined();
});

describe('errorsByField', () => {
  test('messages are at their fields, others under the empty name', () => {
    expect(errorsByField(failure({ name: ['is taken', 'is short'], url: [{ message: 'is bad' }] }), ['name'])).toEqual({
      name: 'is taken\nis short',
      '': 'is bad',
    });
  });

  test('all errors of no field are kept', () => {
    expect(errorsByField(failure({ a: ['first'], b: ['second'] }), ['name'])).toEqual({ '': 'first\nsecond' });
  });

  test('without details the message of the error is used', () => {
    expect(errorsByField(failure({}), ['name'])).toEqual({ '': 'Invalid' });
    expect(errorsByField(new Unreachable(), [])).toEqual({ '': 'The server cannot be reached.' });
    expect(errorsByField('text', [])).toEqual({ '': 'text' });
  });

  test('repeated details are shown once', () => {
    const details = { props: [{ prop: 'a', code: 'x', message: 'one' }], configured_props: ['a: one'] };
    expect(detailMessages(failure(details).details)).toEqual(['one']);
    expect(detailMessages(failure({ configured_props: ['alone'] }).details)).toEqual(['alone']);
  });
});

test('the error of a hook is part of the message', () => {
  const observations = [{ k: 'log' }, { k: 'error', err: { name: 'TypeError', message: 'no power' } }];
  expect(hookError(failure({}, { observations }))).toBe('TypeError: no power');
  expect(errorText(failure({}, { observations }))).toBe('Component hook failed: TypeError: no power');
  expect(errorText(failure({}, { observations: [] }))).toBe('Invalid');
  expect(errorText('text')).toBe('text');
});

test('errors in code have a line, or a sentence', () => {
  const code = [{ message: 'bad token', line: 5, column: 3, file: null }, { message: 'no name', line: null }, 'text'];
  expect(codeErrors(failure({ code, component_code: ['5:3: bad token', 'The component has no name.'] }))).toEqual({
    located: [{ message: 'bad token', line: 5, column: 3, file: undefined }],
    others: ['The component has no name.'],
  });
  expect(codeErrors(failure({}))).toBeUndefined();
  expect(codeErrors(new Error('x'))).toBeUndefined();
});

test('errors of a deployment have a position where known', () => {
  const document = [{ line: 4, column: 5, path: 'steps[0]', message: 'is empty' }, 'is too long'];
  expect(deployErrors(failure({ document, secrets: ['A is unknown'] }))).toEqual({
    located: [{ line: 4, column: 5, message: 'steps[0] is empty' }],
    others: ['is too long', 'secrets: A is unknown'],
  });
  expect(deployErrors(failure({}))).toEqual({ located: [], others: ['Invalid'] });
  expect(deployErrors(new Unreachable()).others).toEqual(['The server cannot be reached.']);
  expect(deployErrors(undefined).others).toEqual(['undefined']);
});

test('thrown errors are JSON or text', () => {
  expect(thrownErrors([])).toBe('The component failed without an error message.');
  expect(
    thrownErrors(['{"name":"Error","message":"a"}', '{"name":"TypeError","message":"b"}', 'c', '{"x":1}', 'null']),
  ).toBe('a; TypeError: b; c; {"x":1}; null');
});

test('the output of a hook is in order', () => {
  const observations = [
    { k: 'hook', h: 'deploy' },
    { k: 'log', level: 'info', msg: 'asking' },
    { level: 'warn', msg: 'slow' },
    { level: 'error', msg: 'bad' },
    null,
    { k: 'error', err: { name: 'Error', message: 'no', stack: 'Error: no\n  at x' } },
    { k: 'error' },
  ];
  expect(hookOutput(observations)).toEqual({
    hook: 'deploy',
    lines: [
      { tone: 'log', text: 'asking' },
      { tone: 'warn', text: 'slow' },
      { tone: 'error', text: 'bad' },
      { tone: 'error', text: 'no', stack: 'Error: no\n  at x' },
      { tone: 'error', text: 'The hook failed without an error message.', stack: undefined },
    ],
  });
  expect(hookOutput([])).toEqual({ hook: undefined, lines: [] });
});
