import { expect, test } from 'vitest';
import type { Action } from './action-accounts';
import { addStep } from './add-step';

const action: Action = {
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
const STEP = `  - name: create_issue
    action: github-create-issue
    props:
      github: { authProvisionId: apn_1 }
      title: ""
      labels: []
      open: true
`;

test('a step is added after the last one, before the rest of the document', () => {
  const before = 'name: A\nsteps:\n  - name: first\n    code: |\n      export default 1;\n\n';
  const added = addStep(`${before}settings:\n  concurrency: 4\n`, action, { github: 'apn_1' });
  expect(added).toBe(`${before.trimEnd()}\n${STEP}settings:\n  concurrency: 4\n`);
});

test('names are unique, and the indentation is that of the list', () => {
  const added = addStep('steps:\n- name: create_issue\n  action: x', { ...action, configurable_props: [] }, {});
  expect(added).toBe(
    'steps:\n- name: create_issue\n  action: x\n- name: create_issue_2\n  action: github-create-issue\n',
  );
});

test('a document without steps gets them', () => {
  expect(addStep('name: A\n', action, { github: 'apn_1' })).toBe(`name: A\nsteps:\n${STEP}`);
});

test('a missing account is to be entered', () => {
  expect(addStep('', action, {})).toContain('github: { authProvisionId: "" } # an account of github\n');
});

test('a flow list is not changed', () => {
  expect(addStep('steps: [{ name: a, action: b }]', action, {})).toBeUndefined();
});
