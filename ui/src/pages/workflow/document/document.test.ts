import { CompletionContext } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { check } from './checking';
import { completionOf } from './completion';
import { cursorContext } from './cursor';
import { languageOf, nextPath, pathError } from './files';
import { fieldsAt, resolve, type Schema, schemaAt, valuesOf } from './schema';
import { at, declaredSecrets, readYaml, referencedFiles, type Yaml } from './yaml';

/** A small schema with the features of the real one. */
const schema: Schema = {
  type: 'object',
  required: ['name', 'steps'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 10, description: 'The name.' },
    env: {
      type: 'object',
      additionalProperties: {
        oneOf: [{ type: 'string' }, { type: 'object', properties: { secret: { const: true } } }],
      },
    },
    triggers: { type: 'array', items: { $ref: '#/$defs/trigger' } },
    steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
  },
  $defs: {
    trigger: {
      type: 'object',
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        http: { type: 'object', properties: { custom_response: { type: 'boolean' } } },
        schedule: { type: 'object', properties: { cron: { type: 'string', examples: ['*/5 * * * *'] } } },
      },
    },
    step: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      oneOf: [{ required: ['code'] }, { required: ['file'] }],
      properties: {
        name: { type: 'string', pattern: '^[a-z_]+$', description: 'Lower-case letters.' },
        code: { type: 'string' },
        file: { type: 'string' },
        timeout_seconds: { type: 'integer', minimum: 1, maximum: 1_000, default: 30 },
      },
    },
  },
};

describe('readYaml', () => {
  /** The text of a value. */
  const source = (text: string, value: Yaml | undefined) => value && text.slice(value.from, value.to);

  test.each([
    ['a: 1', 1],
    ['a: -1.5e3', -1_500],
    ['a: .5', 0.5],
    ['a: 1_000', '1_000'],
    ['a: 0x10', '0x10'],
    ['a: true', true],
    ['a: FALSE', false],
    ['a: yes', 'yes'],
    ['a: ~', null],
    ['a:', null],
    ['a: null', null],
    ['a: text # comment', 'text'],
    ['a: "q\\n\\u00fc"', 'q\nü'],
    ["a: 'it''s'", "it's"],
    ['a: ünï 日本 🚀', 'ünï 日本 🚀'],
    ['a: &anchor 5', 5],
  ])('the scalar of %j', (text, value) => {
    expect(at(readYaml(text).root, 'a')).toMatchObject({ kind: 'scalar', value });
  });

  test.each(['a: *alias', 'a: !tag x'])('%j has no known value', (text) => {
    expect(at(readYaml(text).root, 'a')).toMatchObject({ kind: 'other' });
  });

  test('positions count UTF-16 units, after multi-byte text as well', () => {
    const text = 'ü🚀: 1\n"key 日": [a, "b"]\nlast: { x: deep }\n';
    const { root, broken } = readYaml(text);
    expect(broken).toBeUndefined();
    expect(root.kind === 'map' && root.pairs.map(({ key }) => key)).toEqual(['ü🚀', 'key 日', 'last']);
    expect(source(text, at(at(root, 'last'), 'x'))).toBe('deep');
    const list = at(root, 'key 日');
    expect(list?.kind === 'list' && list.items.map((item) => source(text, item))).toEqual(['a', '"b"']);
  });

  test('lines may end with CR LF', () => {
    const text = 'name: a\r\nsteps:\r\n  - name: one\r\n    code: |\r\n      x\r\n';
    const { root, broken } = readYaml(text);
    expect(broken).toBeUndefined();
    expect(source(text, at(root, 'name'))).toBe('a');
    const steps = at(root, 'steps');
    expect(steps?.kind === 'list' && at(steps.items[0], 'name')).toMatchObject({ value: 'one' });
  });

  test('a block literal begins after its header', () => {
    const code = at(readYaml('code: |\n  first\n  second\n').root, 'code');
    expect(code).toMatchObject({ kind: 'scalar' });
    expect(code?.kind === 'scalar' && String(code.value)).toContain('first\n  second');
  });

  test('empty and broken text', () => {
    expect(readYaml('').root.kind).toBe('other');
    expect(readYaml('# only a comment\n').root.kind).toBe('other');
    expect(readYaml('a: [1, 2').broken).toBeDefined();
    expect(readYaml('a: }').broken).toBeDefined();
  });

  test('empty items of a list are null', () => {
    const list = readYaml('- 1\n-\n- x\n').root;
    expect(list.kind === 'list' && list.items.map((item) => item.kind === 'scalar' && item.value)).toEqual([
      1,
      null,
      'x',
    ]);
  });

  test('deep nesting is read', () => {
    const depth = 300;
    const { root, broken } = readYaml(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
    expect([root.kind, broken]).toEqual(['list', undefined]);
  });

  test('declared secrets and referenced files', () => {
    expect(declaredSecrets('env:\n  TOKEN: { secret: true }\n  HOST: example.com\n  "Ü": { secret: true }\n')).toEqual([
      'TOKEN',
      'Ü',
    ]);
    expect(declaredSecrets('env: [a]')).toEqual([]);
    expect(declaredSecrets('')).toEqual([]);
    expect(
      referencedFiles('steps:\n  - file: ./a.mjs\n  - file: 5\n  - code: x\n  - "x"\n  - file: "b c.mjs"\n'),
    ).toEqual(['./a.mjs', 'b c.mjs']);
    expect(referencedFiles('steps: {}')).toEqual([]);
  });
});

describe('check', () => {
  const VALID = 'name: Hello\nsteps:\n  - name: one\n    code: return 1\n';
  const found = (text: string) => check(schema, text).map(({ from, to, message }) => [text.slice(from, to), message]);

  test('a valid document and an empty one have no errors', () => {
    expect(found(VALID)).toEqual([]);
    expect(found(VALID.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(found('')).toEqual([]);
    expect(found(' \n\t\n')).toEqual([]);
  });

  test('broken YAML has one error', () => {
    expect(check(schema, 'name: [')).toHaveLength(1);
    expect(check(schema, 'name: [')[0]?.message).toBe('Invalid YAML.');
  });

  test('an unknown field is marked at its key', () => {
    expect(found(VALID.replace('code:', 'cod:'))).toContainEqual([
      'cod',
      'Unknown field cod. Allowed are name, code, file and timeout_seconds.',
    ]);
    expect(found(`${VALID}"ü 🚀": 1\n`)).toContainEqual(['"ü 🚀"', expect.stringContaining('Unknown field ü 🚀.')]);
  });

  test.each([
    ['name: 5\nsteps:\n  - name: a\n    code: x\n', '5', 'Must be a string.'],
    [
      'name: this is too long\nsteps:\n  - name: a\n    code: x\n',
      'this is too long',
      'Must have at most 10 characters.',
    ],
    ['name: a\nsteps: []\n', '[]', 'Requires at least 1.'],
    ['name: a\nsteps: x\n', 'x', 'Must be a list.'],
    ['name: a\n', 'name: a', 'Missing steps.'],
    ['name: a\nname: b\nsteps:\n  - name: a\n    code: x\n', 'name', 'Duplicate field name.'],
    ['name: a\nsteps:\n  - name: UP\n    code: x\n', 'UP', 'Lower-case letters.'],
    ['name: a\nsteps:\n  - name: a\n', 'name: a', 'Requires exactly one of code and file.'],
    ['name: a\nsteps:\n  - name: a\n    code: x\n    file: y\n', 'name: a', 'Requires exactly one of code and file.'],
    ['name: a\nsteps:\n  - name: a\n    code: x\n    timeout_seconds: 0\n', '0', 'Must be at least 1.'],
    ['name: a\nsteps:\n  - name: a\n    code: x\n    timeout_seconds: 1e9\n', '1e9', 'Must be at most 1,000.'],
    ['name: a\nsteps:\n  - name: a\n    code: x\n    timeout_seconds: 1.5\n', '1.5', 'Must be an integer.'],
    ['name: a\nenv:\n  A: 5\nsteps:\n  - name: a\n    code: x\n', '5', 'Must be a string or an object.'],
    ['name: a\nenv:\n  A: { secret: false }\nsteps:\n  - name: a\n    code: x\n', 'false', 'Must be true.'],
    [
      'name: a\ntriggers:\n  - { http: {}, schedule: {} }\nsteps:\n  - name: a\n    code: x\n',
      '{ http: {}, schedule: {} }',
      'Allows at most 1 of http and schedule.',
    ],
  ])('%j', (text, marked, message) => {
    expect(found(text)).toContainEqual([marked, message]);
  });

  test('errors of large values mark their first line only, with CR LF as well', () => {
    const text = 'name: a\r\nsteps:\r\n  - name: a\r\n    other: 1\r\n';
    for (const { from, to } of check(schema, text)) expect(text.slice(from, to)).not.toMatch(/[\r\n]/);
  });
});

describe('schema', () => {
  test('references are resolved, and fields beside them take precedence', () => {
    expect(resolve(schema, { $ref: '#/$defs/step', title: 'Mine' })).toMatchObject({
      title: 'Mine',
      required: ['name'],
    });
    expect(resolve(schema, { $ref: '#/$defs/none' })).toEqual({ $ref: '#/$defs/none' });
  });

  test('paths lead through lists, maps and alternatives', () => {
    expect(schemaAt(schema, ['steps', '[]', 'timeout_seconds'])?.type).toBe('integer');
    expect(schemaAt(schema, ['env', 'ANY', 'secret'])?.const).toBe(true);
    expect(schemaAt(schema, ['nothing', 'here'])).toBeUndefined();
    expect(schemaAt(schema, ['name', '[]'])).toBeUndefined();
    expect(fieldsAt(schema, ['triggers', '[]']).map(([name]) => name)).toEqual(['http', 'schedule']);
    expect(fieldsAt(schema, ['nothing'])).toEqual([]);
  });

  test('suggested values are YAML', () => {
    expect(valuesOf({ type: 'boolean', default: true })).toEqual(['true', 'false']);
    expect(valuesOf({ examples: ['*/5 * * * *', 'plain', '', 'a: b', 'two\nlines', { a: 1 }, '#x'] })).toEqual([
      '"*/5 * * * *"',
      'plain',
      '""',
      '"a: b"',
      '"#x"',
    ]);
    expect(valuesOf({})).toEqual([]);
  });
});

describe('cursorContext', () => {
  /** The context at `|`. */
  function context(text: string) {
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('|'));
    const before = (lines[line] ?? '').split('|')[0] ?? '';
    return cursorContext(
      lines.map((one) => one.replace('|', '')),
      line,
      before,
    );
  }

  test.each([
    ['|', [], undefined, ''],
    ['na|', [], undefined, 'na'],
    ['name: He|', [], 'name', 'He'],
    ['name:|', [], 'name', ''],
    ['steps:\n  - |', ['steps', '[]'], undefined, ''],
    ['steps:\n  - name: one\n    co|', ['steps', '[]'], undefined, 'co'],
    ['steps:\n- name: one\n  co|', ['steps', '[]'], undefined, 'co'],
    ['steps:\n  - name: one\n    code: x\n  - na|', ['steps', '[]'], undefined, 'na'],
    ['triggers:\n  - schedule:\n      cr|', ['triggers', '[]', 'schedule'], undefined, 'cr'],
    ['triggers:\n  - http: { custom_response: |', ['triggers', '[]', 'http'], 'custom_response', ''],
    ['triggers:\n  - http: { |', ['triggers', '[]', 'http'], undefined, ''],
    ['triggers:\n  - http: { a: "x, {", cu|', ['triggers', '[]', 'http'], undefined, 'cu'],
    ['a: { b: { c: 1, |', ['a', 'b'], undefined, ''],
    ['a: { b: { c: 1 }, |', ['a'], undefined, ''],
    ['"quoted": v|', [], 'quoted', 'v'],
    ['steps:\n\n  # comment\n  - name: a\n\n    |', ['steps', '[]'], undefined, ''],
  ])('%j', (text, path, field, typed) => {
    expect(context(text)).toMatchObject({ path, field, typed });
  });

  test('comments have no context', () => {
    expect(context('# na|')).toBeUndefined();
    expect(context('  # name: |')).toBeUndefined();
  });

  test('keys above and below are siblings', () => {
    expect(context('name: a\n|\nsteps:\n  - name: x')?.siblings).toEqual(new Set(['name', 'steps']));
    expect(context('steps:\n  - name: one\n    |\n    code: x\n  - file: y')?.siblings).toEqual(
      new Set(['name', 'code']),
    );
    expect(context('a: { b: 1, |')?.siblings).toEqual(new Set(['b']));
  });
});

describe('completion', () => {
  /** The labels offered at the end of a text. */
  async function offered(text: string, explicit = true) {
    const state = EditorState.create({ doc: text, extensions: yaml() });
    const result = await completionOf(schema)(new CompletionContext(state, text.length, explicit));
    return result?.options.map(({ label, apply }) => [label, apply]) ?? null;
  }
  const labels = async (text: string) => (await offered(text))?.map(([label]) => label);

  test('fields that are not used yet are offered', async () => {
    expect(await labels('')).toEqual(['name', 'env', 'triggers', 'steps']);
    expect(await labels('name: a\ntr')).toEqual(['env', 'triggers', 'steps']);
    expect(await labels('steps:\n  - name: one\n    ')).toEqual(['code', 'file', 'timeout_seconds']);
  });

  test('fields start their value', async () => {
    expect(await offered('name: a\ntriggers: []\nst')).toEqual([
      ['env', 'env:\n  '],
      ['steps', 'steps:\n  - '],
    ]);
    expect(await offered('steps:\n  - name: one\n    co')).toContainEqual(['code', 'code: |\n      ']);
  });

  test('values are offered', async () => {
    expect(await labels('triggers:\n  - http: { custom_response: ')).toEqual(['true', 'false']);
    expect(await labels('steps:\n  - timeout_seconds: ')).toEqual(['30']);
    expect(await offered('name: ')).toBeNull();
  });

  test('nothing is offered in code, comments and quotes, or without input', async () => {
    expect(await offered('steps:\n  - code: |\n      na')).toBeNull();
    expect(await offered('# na')).toBeNull();
    expect(await offered('name: "na')).toBeNull();
    expect(await offered('', false)).toBeNull();
  });
});

describe('files', () => {
  test.each([
    ['a.mjs', 'javascript'],
    ['a.TS', 'typescript'],
    ['a/b.yml', 'yaml'],
    ['a.json', 'json'],
    ['a.txt', 'text'],
    ['Makefile', 'text'],
    ['', 'text'],
  ])('%j is %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });

  test('a path must be free and inside the folder', () => {
    expect(pathError('./a.mjs', ['b.mjs'])).toBeUndefined();
    expect(pathError('ü/🚀.mjs', [])).toBeUndefined();
    expect(pathError('..a.mjs', [])).toBeUndefined();
    for (const path of ['', '  ']) expect(pathError(path, [])).toMatch(/Enter a path/);
    for (const path of ['/a', '../a', 'a/../b', './../a']) expect(pathError(path, [])).toMatch(/inside the folder/);
    expect(pathError('a.mjs', ['./a.mjs'])).toMatch(/already exists/);
  });

  test('the next file is a missing one, else a free name', () => {
    expect(nextPath(['./a.mjs', 'b.mjs'], ['a.mjs'])).toBe('b.mjs');
    expect(nextPath(['a.mjs'], ['./a.mjs'])).toBe('./step.mjs');
    expect(nextPath([], ['step.mjs', './step2.mjs'])).toBe('./step3.mjs');
  });
});
