import { afterEach, expect, test, vi } from 'vitest';

// The client reads the address of the page when it is loaded.
vi.hoisted(() => Object.assign(globalThis, { location: { origin: 'http://localhost' } }));

import { api } from '../../../api/client';
import { isEmpty } from '../../../forms/value';
import { StepForm } from './step-form.svelte';

const KIND = { name: 'kind', type: 'string', reloadProps: true };
const ACCOUNT = { name: 'github', type: 'app', app: 'github' };

/** Answers requests for props: each kind has a prop with its name. */
function serveProps() {
  const answers: (() => void)[] = [];
  const respond = (_: unknown, request: { body: { configured_props: { kind?: string } } }) =>
    new Promise((resolve) => {
      const { kind } = request.body.configured_props;
      const rows = kind ? [KIND, { name: kind, type: 'string' }] : [KIND];
      const data = { dynamicProps: { id: `dyp_${kind}`, configurableProps: rows } };
      answers.push(() => resolve({ data, response: { ok: true } }));
    });
  vi.spyOn(api, 'POST').mockImplementation(respond as never);
  return async () => {
    for (const answer of answers.splice(0)) answer();
    await new Promise((resolve) => setTimeout(resolve));
  };
}

afterEach(() => vi.restoreAllMocks());
const names = (form: StepForm) => form.props.map(({ name }) => name);
const start = (values: Record<string, unknown>) =>
  new StepForm({ component: 'sc_1', props: [KIND] }, values, () => true);

test('the text changes a value on which other props depend', async () => {
  const answer = serveProps();
  const form = start({ kind: 'mail', mail: 'a@example.com' });
  await answer();
  expect(names(form)).toEqual(['kind', 'mail']);

  form.sync({ kind: 'call', call: '123' });
  expect(form.reloading).toBe(true);
  expect(form.others).toEqual([]);
  await answer();
  expect(names(form)).toEqual(['kind', 'call']);
  expect(form.values).toEqual({ kind: 'call', call: '123' });
  expect(form.others).toEqual([]);

  // As after an undo.
  form.sync({ kind: 'mail', mail: 'a@example.com' });
  await answer();
  expect(form.values).toEqual({ kind: 'mail', mail: 'a@example.com' });
});

test('values of dynamic props are kept while the props are loaded', async () => {
  const answer = serveProps();
  const form = start({ kind: 'mail', mail: 'a@example.com' });
  form.sync({ kind: 'mail', mail: 'b@example.com' });
  await answer();
  expect(form.values).toEqual({ kind: 'mail', mail: 'b@example.com' });
  form.sync({ kind: 'mail', mail: 'b@example.com', old: 1 });
  expect(form.values).toEqual({ kind: 'mail', mail: 'b@example.com' });
  expect(form.others).toEqual(['old']);
});

test('a form that opens writes nothing, and an empty account is a missing value', () => {
  const write = vi.fn(() => true);
  const empty = { authProvisionId: '' };
  const form = new StepForm({ component: 'sc_1', props: [ACCOUNT] }, { github: empty }, write);
  const [prop] = form.props;
  if (!prop) throw new Error('no prop');
  form.needAccount(prop, true);
  form.preset(prop, { authProvisionId: 'apn_1' });
  expect(write).not.toHaveBeenCalled();
  expect(form.values).toEqual({ github: empty });
  expect(form.validate()).toBe(false);
  expect(form.errors).toEqual({ github: 'This field is required.' });
  expect([empty, { authProvisionId: 'apn_1' }, {}].map(isEmpty)).toEqual([true, false, false]);
});
