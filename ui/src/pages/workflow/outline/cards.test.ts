import { expect, test } from 'vitest';
import { actionItem } from './action-item';
import { BUILTINS, builtinItem, findBuiltins } from './builtins';
import { cardsOf } from './cards';
import { declaredProps } from './declared-props';
import { commandOf, neighbour } from './keys';
import { problemsOf } from './problems';
import { resultsOf } from './step-results';
import { Editing } from './yaml/edits';
import { valueOfItem } from './yaml/list-edits';
import { freeName, nameError, nameFrom } from './yaml/names';
import { type Outline, Reader } from './yaml/read';
import { referencesIn } from './yaml/references';

function read(text: string): { outline: Outline; editing: Editing } {
  const reader = new Reader();
  const reading = reader.read(text);
  if ('error' in reading) throw new Error(reading.error);
  return { outline: reading.outline, editing: new Editing(reader) };
}
const cards = (text: string) => cardsOf(read(text).outline);

test('cards describe triggers and steps', () => {
  const { triggers, steps } = cards(`triggers:
  - http: { custom_response: true }
  - schedule: { cron: "0 9 * * 1-5", timezone: Europe/Berlin }
  - events: { from: shop, event_name: $errors }
  - fax: {}
steps:
  - name: read
    code: |
      export default 1;
      // two
  - name: send
    action: acme-send
  - name: file
    file: ./a.mjs
  - nothing
`);
  expect(triggers.map(({ title, note, editable }) => [title, note, editable])).toEqual([
    ['HTTP request', 'Custom response', true],
    ['Schedule', '0 9 * * 1-5 in Europe/Berlin', true],
    ['Events', 'From shop · $errors', true],
    ['Trigger', 'Not understood', false],
  ]);
  expect(steps.map(({ title, note, kind, editable }) => [title, note, kind, editable])).toEqual([
    ['read', 'Code, 2 lines', 'code', true],
    ['send', 'acme-send', 'action', true],
    ['file', './a.mjs', 'file', true],
    ['Unnamed step', 'Not understood', 'other', false],
  ]);
});

test('a card names steps that are not before it', () => {
  const { steps } = cards(`steps:
  - name: a
    code: |
      export default async (event, steps) => steps.c.x + steps.map + steps.trigger.event;
  - name: b
    action: x
    props: { text: "{{ steps.a.y }} {{ steps.gone.z }} {{ steps.b.own }}", plain: steps.gone }
  - name: c
    code: export default 1;
`);
  expect(steps.map(({ unknown }) => unknown)).toEqual([['c'], ['gone'], []]);
});

test('references are found in both forms', () => {
  const text = 'steps.a.x, steps?.b, steps["c"].y, steps?.[\'d\'], this.steps.e, mysteps.f, $steps.g';
  const found = referencesIn(text);
  expect(found.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(found.map(({ from, to }) => text.slice(from, to)).sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('each built-in step is a valid item whose props its code declares', () => {
  for (const builtin of BUILTINS) {
    const item = valueOfItem(builtinItem(builtin, 'one')) as { name: string; code: string; props?: object };
    expect(item.name).toBe('one');
    const declared = declaredProps(item.code);
    expect(declared.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(item.props ?? {})));
    const { steps } = cards(`steps:\n${builtinItem(builtin, 'one').replace(/^(?=.)/gm, '  ')}`);
    expect(steps[0]?.builtin).toBe(builtin.id === 'code' ? '' : builtin.id);
  }
  expect(findBuiltins('WAIT next').map(({ id }) => id)).toEqual(['delay']);
  expect(findBuiltins('').length).toBe(BUILTINS.length);
});

test('declared props are read from literals only', () => {
  const code = `import x from "y";
    export default defineComponent({ name: "N", props: {
      url: "string", count: { type: "integer", label: "Count\\n", min: 1, optional: true, options: ["a", 2, -x] },
      other: x.props.other, method() {}, db: { type: x } , "quoted": { type: 'boolean' } }, async run() {} });`;
  expect(declaredProps(code)).toEqual([
    { name: 'url', type: 'string' },
    { name: 'count', type: 'integer', label: 'Count\n', min: 1, optional: true, options: ['a', 2] },
    { name: 'db', type: 'any' },
    { name: 'quoted', type: 'boolean' },
  ]);
  expect(declaredProps('export default { props: { a: "string" } }')).toEqual([{ name: 'a', type: 'string' }]);
  expect(declaredProps('export default async (event) => {')).toEqual([]);
});

test('a step with an action has its required props', () => {
  const action = {
    id: 'sc_1',
    key: 'github-create-issue',
    name: 'Create Issue',
    configurable_props: [
      { name: 'github', type: 'app', app: 'github' },
      { name: 'title', type: 'string' },
      { name: 'labels', type: 'string[]' },
      { name: 'open', type: 'boolean', default: true },
      { name: 'body', type: 'string', optional: true },
      { name: 'info', type: 'alert' },
    ],
  };
  expect(actionItem(action, nameFrom(action.name), { github: 'apn_1' })).toBe(`- name: create_issue
  action: github-create-issue
  props:
    github: { authProvisionId: apn_1 }
    title: ""
    labels: []
    open: true
`);
  expect(actionItem(action, 'a', {})).toContain('github: { authProvisionId: "" } # an account of github\n');
});

test('names of steps are valid and free', () => {
  expect(nameFrom('Create Issue (v2)')).toBe('create_issue_v2');
  expect([nameFrom('Trigger'), nameFrom('2 steps'), nameFrom('ü')]).toEqual(['step_trigger', 'step_2_steps', 'step_']);
  expect([freeName('a', ['b']), freeName('a', ['a', 'a_2']), freeName('a_2', ['a_2'])]).toEqual(['a', 'a_3', 'a_3']);
  expect(nameError('a', [])).toBeUndefined();
  for (const name of ['', '1a', 'a b', 'trigger', 'x'.repeat(65), 'taken'])
    expect(nameError(name, ['taken'])).toBeDefined();
});

test('keys of cards are commands', () => {
  const command = (key: string, held = '') =>
    commandOf({
      key,
      altKey: held === 'alt',
      ctrlKey: held === 'ctrl',
      metaKey: held === 'meta',
      shiftKey: held === 'shift',
    });
  expect([command('ArrowUp'), command('ArrowUp', 'alt'), command('ArrowUp', 'ctrl')]).toEqual([
    'up',
    'move-up',
    undefined,
  ]);
  expect([command('d'), command('D', 'ctrl'), command('d', 'meta')]).toEqual([undefined, 'duplicate', 'duplicate']);
  expect([command('+', 'shift'), command('a'), command('a', 'ctrl'), command('Enter')]).toEqual([
    'add',
    'add',
    undefined,
    undefined,
  ]);
});

test('arrow keys go through triggers and steps', () => {
  const places = [
    { list: 'triggers', index: 0 },
    { list: 'steps', index: 0 },
    { list: 'steps', index: 1 },
  ] as const;
  const go = (command: 'up' | 'down' | 'first' | 'last', from: number) =>
    places.findIndex(({ list, index }) => {
      const to = neighbour(command, [...places], places[from] ?? places[0]);
      return to.list === list && to.index === index;
    });
  expect([go('down', 0), go('down', 2), go('up', 1), go('up', 0), go('first', 2), go('last', 0)]).toEqual([
    1, 2, 0, 0, 0, 2,
  ]);
});

test('the result of a step is that of its last attempt', () => {
  const attempt = (name: string, state: string, started_at_ms: number) => ({ name, state, started_at_ms }) as never;
  const { over, steps } = resultsOf({
    id: 'r',
    state: 'running',
    steps: [attempt('a', 'failed', 1), attempt('a', 'completed', 2)],
  });
  expect(over).toBe(false);
  expect([...steps]).toEqual([['a', { state: 'completed', at: 2 }]]);
});

test('errors of a deployment belong to the item at their line', () => {
  const { outline } = read(
    'name: A\ntriggers:\n  - http: {}\nsteps:\n  # one\n  - name: a\n    action: x\n  - name: b\n    action: y\n',
  );
  const error = (line: number) => ({ line, column: 1, message: `line ${line}` });
  const { triggers, steps } = problemsOf(outline, [error(3), error(7), error(5), error(9), error(1)]);
  expect([...triggers]).toEqual([[0, 'line 3']]);
  expect([...steps]).toEqual([
    [0, 'line 7'],
    [1, 'line 9'],
  ]);
});

const DOCUMENT = `name: A
steps:
  # first
  - name: a
    action: x # beside

  - name: b
    action: y
    props: &shared { n: 1 }
  - name: c
    action: z
    props: *shared
`;

test('edits are the smallest changes of the text', () => {
  const { outline, editing } = read(DOCUMENT);
  expect(editing.set(outline, 'steps', 0, ['props', 'title'], 'T')?.changes).toEqual([
    { from: DOCUMENT.indexOf('\n\n'), to: DOCUMENT.indexOf('\n\n'), insert: '\n    props:\n      title: T' },
  ]);
  const at = DOCUMENT.indexOf('x # beside');
  expect(editing.set(outline, 'steps', 0, ['action'], 'new')?.changes).toEqual([
    { from: at, to: at + 1, insert: 'new' },
  ]);
  expect(editing.set(outline, 'steps', 0, ['action'], 'x')?.changes).toEqual([]);
});

test('an edit that would change other parts is refused', () => {
  const { outline, editing } = read(DOCUMENT);
  expect(editing.move(outline, 'steps', 2, 0)).toBeUndefined();
  expect(editing.remove(outline, 'steps', 1)).toBeUndefined();
  expect(editing.duplicate(outline, 'steps', 1)).toBeUndefined();
  expect(editing.set(outline, 'steps', 2, ['props', 'n'], 2)).toBeUndefined();
  expect(editing.move(outline, 'steps', 0, 1)).toBeDefined();
});

test('lists are created where they are missing, and declared secrets added', () => {
  const { outline, editing } = read('# mine\nname: A\n');
  const withSteps = editing.insert(outline, 'steps', 0, '- name: a\n  action: x\n');
  expect(withSteps?.text).toBe('# mine\nname: A\nsteps:\n  - name: a\n    action: x\n');
  const withTrigger = withSteps && editing.insert(withSteps.outline, 'triggers', 0, '- http: {}');
  expect(withTrigger?.text).toBe('# mine\nname: A\ntriggers:\n  - http: {}\nsteps:\n  - name: a\n    action: x\n');
  const withSecret = withTrigger && editing.declareSecret(withTrigger.outline, 'KEY');
  expect(withSecret?.text).toBe(withTrigger?.text.replace('triggers:', 'env:\n  KEY: { secret: true }\ntriggers:'));
  const second = withSecret && editing.declareSecret(withSecret.outline, 'OTHER');
  expect(second?.text).toContain('env:\n  KEY: { secret: true }\n  OTHER: { secret: true }\ntriggers:');
});

test('a JSON document stays one', () => {
  const text =
    '{\n  "name": "A",\n  "steps": [\n    { "name": "a", "action": "x" },\n    { "name": "b", "action": "y", "props": {} }\n  ]\n}\n';
  const { outline, editing } = read(text);
  const edits = [
    editing.insert(outline, 'steps', 1, '- name: c\n  code: |\n    export default 1;\n'),
    editing.move(outline, 'steps', 0, 1),
    editing.remove(outline, 'steps', 0),
    editing.duplicate(outline, 'steps', 1),
    editing.set(outline, 'steps', 1, ['props', 'text'], 'two\nlines'),
    editing.set(outline, 'steps', 0, ['props'], { a: [1, { b: null }] }),
    editing.declareSecret(outline, 'KEY'),
    editing.insert(outline, 'triggers', 0, '- http: {}'),
  ];
  for (const edit of edits) expect(() => JSON.parse(edit?.text ?? '')).not.toThrow();
});

test('a long document is edited by reading the changed step only', () => {
  const one = (index: number) =>
    `  - name: s${index}\n    action: acme\n    props:\n      text: "{{ steps.s0.x }}"\n      list: [a, b]\n    timeout_seconds: 30\n`;
  const text = `name: Long\nsteps:\n${Array.from({ length: 200 }, (_, index) => one(index)).join('')}`;
  const { outline, editing } = read(text);
  const before = new Set(outline.steps.items.map(({ item }) => item));
  const edit = editing.set(outline, 'steps', 100, ['props', 'text'], 'new');
  const parsed = edit?.outline.steps.items.filter(({ item }) => !before.has(item));
  expect(parsed?.length).toBe(1);
  expect(edit?.changes.length).toBe(1);
});
