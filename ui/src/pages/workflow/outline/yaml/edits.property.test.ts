// Edits of generated documents: with comments, anchors, block scalars, odd indentation, flow style and Windows line ends.
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type Edit, Editing, stepName } from './edits';
import { type Outline, Reader } from './read';
import { applyChanges } from './text';

type Json = Record<string, unknown>;
/** `OUTLINE_RUNS=1000` looks further, with other documents each time. */
const wanted = process.env.OUTLINE_RUNS;
const RUNS = wanted ? { numRuns: Number(wanted) } : { numRuns: 60, seed: 20 };
vi.setConfig({ testTimeout: 120_000 });

const pad = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by));
const word = fc.constantFrom(
  'alpha',
  'it is',
  '"a: b # c"',
  "'x ''y'' z'",
  '12',
  'true',
  '"{{ steps.s0.out }}"',
  '~',
  '1.10',
);
const comment = fc.constantFrom('', ' # beside', '  # {{ steps.s0.a }}');
const flowValue = fc.constantFrom('{ a: 1, b: [x, y] }', '[1, "two", three]', '{}', '[]', '{ authProvisionId: apn_1 }');

/** The lines below a key, indented by `by`. */
const blockValue = fc.constantFrom(
  '|\n  line 1\n\n  # no comment\n  line 2',
  '>-\n  folded\n  text',
  '|+\n  kept\n\n',
  '\n  # inside\n  inner: 1\n  other: # why\n    deep: x',
  '\n- one # first\n- two',
  '\n  - a: 1\n    b: 2\n  # between\n  - c',
);
const prop = (key: string) =>
  fc.oneof(
    fc.tuple(word, comment).map(([value, note]) => `${key}: ${value}${note}`),
    flowValue.map((value) => `${key}: ${value}`),
    blockValue.map((value) => `${key}: ${value}`.replace(/: \n/, ':\n')),
  );

const stepFields = fc
  .record({
    props: fc.uniqueArray(fc.constantFrom('title', 'list', 'body', 'quoted key'), { maxLength: 3 }),
    kind: fc.constantFrom(
      'action: acme-note',
      'code: |\n  export default 1;\n\n  // steps.s0.x\n  - no item',
      'file: ./a.mjs',
    ),
    timeout: fc.constantFrom('', 'timeout_seconds: 30', 'timeout_seconds:   30 # long', '# nothing'),
  })
  .chain(({ props, kind, timeout }) =>
    fc
      .tuple(...props.map((key) => prop(key === 'quoted key' ? '"quoted key"' : key)))
      .map((values) => ({ values, kind, timeout })),
  );

const blockStep = (index: number) =>
  fc
    .record({
      fields: stepFields,
      inner: fc.constantFrom(2, 4),
      spaces: fc.constantFrom(1, 3),
      above: fc.constantFrom('', '# above\n', '# one\n# two\n'),
    })
    .map(({ fields: { values, kind, timeout }, inner, spaces, above }) => {
      const propLines = values.length === 0 ? '' : `props: # all\n${pad(values.join('\n'), inner)}\n`;
      const body = `name: s${index}\n${kind}\n${propLines}${timeout}`.replace(
        /\n+$/,
        values.at(-1)?.includes('|+') && timeout === '' ? '\n\n' : '',
      );
      return `${above}-${' '.repeat(spaces)}${pad(body, spaces + 1).trimStart()}\n`;
    });

const blockSteps = fc
  .record({
    count: fc.integer({ min: 1, max: 5 }),
    gap: fc.constantFrom('', '\n', '\n# apart\n\n'),
    indent: fc.constantFrom(0, 2, 3),
    head: fc.constantFrom('', ' # all of them'),
  })
  .chain(({ count, gap, indent, head }) =>
    fc
      .tuple(...Array.from({ length: count }, (_, index) => blockStep(index)))
      .map((steps) => `steps:${head}\n${pad(steps.join(gap), indent)}`),
  );
const flowSteps = fc
  .integer({ min: 0, max: 4 })
  .chain((count) => fc.tuple(fc.constant(count), fc.constantFrom(', ', ',\n  ', ',\n  # note\n  ')))
  .map(([count, gap]) => {
    const steps = Array.from(
      { length: count },
      (_, index) => `{ name: s${index}, action: acme-${index}, props: { title: "x", n: ${index} } }`,
    );
    return gap.includes('\n') && count > 0 ? `steps: [\n  ${steps.join(gap)}\n  ]\n` : `steps: [${steps.join(', ')}]\n`;
  });
const anchored = fc.constantFrom(
  'steps:\n  - &first\n    name: s0\n    action: a\n    props: &p { title: x }\n  - name: s1\n    action: b\n    props: *p\n  - name: s2\n    action: c\n',
);
const head = fc.constantFrom(
  '',
  'name: A # the name\n\n',
  '# file\nname: A\ndescription: |\n  steps:\n    - no\n',
  'env:\n  TOKEN: { secret: true }\n',
);
const triggers = fc.constantFrom(
  '',
  'triggers:\n  - http: {}\n',
  'triggers:\n- schedule: { cron: "0 9 * * *" }\n# web\n- http:\n',
  'triggers: []\n',
);
const tail = fc.constantFrom(
  '',
  'settings:\n  concurrency: 4 # few\n',
  '# the end\n',
  '\n\n# settings\nsettings: {}\n',
);

const documents = fc
  .tuple(
    head,
    triggers,
    fc.oneof(
      { weight: 6, arbitrary: blockSteps },
      { weight: 2, arbitrary: flowSteps },
      { weight: 1, arbitrary: anchored },
    ),
    tail,
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([before, list, steps, after, windows, late, open]) => {
    const text = late ? `${before}${steps}${list}${after}` : `${before}${list}${steps}${after}`;
    const ended = open && !text.includes('|+') ? text.replace(/\n+$/, '') : text;
    return windows ? ended.replaceAll('\n', '\r\n') : ended;
  })
  .filter((text) => valid(text));

function valid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function opened(text: string): { outline: Outline; editing: Editing } {
  const reader = new Reader();
  const reading = reader.read(text);
  if ('error' in reading) throw new Error(`${reading.error}\n${text}`);
  return { outline: reading.outline, editing: new Editing(reader) };
}

const json = (text: string) => parse(text) as { steps: Json[]; triggers?: Json[] };
/** The lines, without the empty one after the last line end. */
const lines = (text: string) => text.replace(/\r?\n$/, '').split(/\r?\n/);
/** Block comments; `#` in a scalar may also match, which does no harm. */
const comments = (text: string) =>
  lines(text)
    .flatMap((line) => /^\s*#.*$/.exec(line)?.[0].trim() ?? [])
    .sort();
const isSubsequence = (part: string[], whole: string[]) => {
  let at = 0;
  for (const line of whole) if (at < part.length && line === part[at]) at += 1;
  return at === part.length;
};

/** What every edit keeps: line ends, and text outside of the changes. */
function expectSound(before: string, edit: Edit) {
  expect(applyChanges(before, edit.changes)).toBe(edit.text);
  const stray = before.includes('\r\n') ? /(?<!\r)\n/ : /\r/;
  expect(stray.test(edit.text)).toBe(false);
  const read = new Reader().read(edit.text);
  if ('error' in read) throw new Error(read.error);
  expect(read.outline.steps.items.map(({ item }) => item.value)).toEqual(json(edit.text).steps ?? []);
}

test('the outline has the values and the text of each step', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const { outline } = opened(text);
      expect(outline.steps.items.map(({ item }) => item.value)).toEqual(json(text).steps);
      expect(outline.triggers.items.map(({ item }) => item.value)).toEqual(json(text).triggers ?? []);
      const { from, to } = outline.steps.units;
      for (const [index, start] of from.entries()) expect(text.slice(start, to[index])).toContain(`s${index}`);
    }),
    RUNS,
  );
});

test('moving keeps every line', () => {
  let refused = 0;
  let done = 0;
  fc.assert(
    fc.property(documents, fc.nat(), fc.nat(), (text, a, b) => {
      const { outline, editing } = opened(text);
      const count = outline.steps.items.length;
      if (count < 2) return;
      const [index, target] = [a % count, b % count];
      if (index === target) return;
      const edit = editing.move(outline, 'steps', index, target);
      if (!edit) {
        refused += 1;
        return;
      }
      done += 1;
      expectSound(text, edit);
      const names = json(text).steps.map(({ name }) => name);
      names.splice(target, 0, ...names.splice(index, 1));
      expect(json(edit.text).steps.map(({ name }) => name)).toEqual(names);
      expect(comments(edit.text)).toEqual(comments(text));
      if (outline.steps.kind === 'block') expect(lines(edit.text).sort()).toEqual(lines(text).sort());
    }),
    RUNS,
  );
  // Steps with anchors cannot be moved before each other.
  expect(refused).toBeLessThan(done / 4);
});

test('removing and adding change no other line', () => {
  let refused = 0;
  let done = 0;
  fc.assert(
    fc.property(documents, fc.nat(), (text, a) => {
      const { outline, editing } = opened(text);
      const count = outline.steps.items.length;
      const removed = count > 0 ? editing.remove(outline, 'steps', a % count) : undefined;
      const added = editing.insert(
        outline,
        'steps',
        a % (count + 1),
        '- name: added\n  code: |\n    export default 1;\n',
      );
      const copied = count > 0 ? editing.duplicate(outline, 'steps', a % count) : undefined;
      for (const edit of [removed, added, copied]) {
        if (edit) done += 1;
        else refused += 1;
        if (edit) expectSound(text, edit);
      }
      if (outline.steps.kind !== 'block') return;
      if (removed) expect(isSubsequence(lines(removed.text), lines(text))).toBe(true);
      if (added) expect(isSubsequence(lines(text), lines(added.text))).toBe(true);
      if (copied) expect(isSubsequence(lines(text), lines(copied.text))).toBe(true);
    }),
    RUNS,
  );
  expect(refused).toBeLessThan(done / 4);
});

const newValue = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    'a: b # c',
    '{{ event.body }}',
    'two\nlines',
    'ends\n',
    ' # x',
    '- a',
    'null',
    '1.10',
    "it's",
    '',
    '\ttab',
    'a\n  b\n\nc\n',
    '@x',
    'ünï 🚀',
  ),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'inner', 'deep', 'x y'), fc.oneof(fc.string({ maxLength: 6 }), fc.integer())),
);

test('setting a prop changes its lines only', () => {
  let refused = 0;
  let done = 0;
  fc.assert(
    fc.property(
      documents,
      fc.nat(),
      fc.constantFrom('title', 'list', 'body', 'quoted key', 'fresh'),
      newValue,
      (text, a, key, value) => {
        const { outline, editing } = opened(text);
        const count = outline.steps.items.length;
        if (count === 0) return;
        const index = a % count;
        const edit = editing.set(outline, 'steps', index, ['props', key], value);
        const removed = editing.set(outline, 'steps', index, ['props', key], undefined);
        for (const one of [edit, removed]) {
          if (one) done += 1;
          else refused += 1;
          if (one) expectSound(text, one);
        }
        const before = json(text).steps;
        if (edit) {
          const props = { ...(before[index]?.props as Json | undefined), [key]: value };
          expect(json(edit.text).steps).toEqual(before.with(index, { ...before[index], props }));
        }
        const { from, to } = outline.steps.units;
        for (const one of [edit, removed]) {
          if (!one) continue;
          // Nothing outside of the step changes.
          expect(one.text.startsWith(text.slice(0, from[index]))).toBe(true);
          expect(one.text.endsWith(text.slice(to[index]))).toBe(true);
        }
      },
    ),
    RUNS,
  );
  expect(refused).toBeLessThan(done / 4);
});

test('renaming changes the name and, if wanted, its references', () => {
  fc.assert(
    fc.property(documents, fc.nat(), fc.boolean(), (text, a, references) => {
      const { outline, editing } = opened(text);
      const count = outline.steps.items.length;
      if (count === 0) return;
      const index = a % count;
      const edit = editing.rename(outline, index, 'renamed', references);
      if (!edit) return;
      expectSound(text, edit);
      expect(edit.outline.steps.items.map(stepName)[index]).toBe('renamed');
      expect(comments(edit.text)).toEqual(comments(text));
      if (references && index === 0) expect(/"\{\{ steps\.s0\.out/.test(edit.text)).toBe(false);
    }),
    RUNS,
  );
});
