import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../api/types';
import { credential, details, phrase, SUBJECTS, targetHref, targetText } from './words';

/** The actions that the server records. */
function recorded(): string[] {
  const words = join(import.meta.dirname, '../../../../crates/sluice-store/src/audit/words.rs');
  const [, actions = ''] = /text_enum!\(Action \{(.*?)\}\);/s.exec(readFileSync(words, 'utf8')) ?? [];
  return [...actions.matchAll(/"([^"]+)"/g)].map(([, action = '']) => action);
}

const me = { id: 'u_me', operator: false };

function entry(changes: { target?: Partial<AuditEntry['target']>; user_id?: string; details?: unknown }): AuditEntry {
  return {
    id: 'aud_1',
    at: 1,
    user_id: changes.user_id ?? 'u_me',
    username: 'me',
    actor: { id: 'u_me', name: 'me', credential: 'session', credential_id: null, credential_name: null, address: null },
    action: 'source.update',
    target: { kind: 'source', id: 'dc_1', name: 'Orders', exists: true, ...changes.target },
    details: changes.details ?? {},
  };
}

test('an action is a phrase before its target', () => {
  expect(phrase('source.create')).toBe('Created source');
  expect(phrase('data_store.delete')).toBe('Deleted data store');
  expect(phrase('key.create')).toBe('Created API key');
  expect(phrase('session.end')).toBe('Ended session');
  expect(phrase('user.rotate_key')).toBe('Rotated API key of');
  expect(phrase('source.rollback')).toBe('Rolled back source');
  expect(phrase('saved_event.save')).toBe('Saved event of');
  expect(phrase('source.run')).toBe('Ran source');
  expect(phrase('tool.enable')).toBe('Enabled tool');
  expect(phrase('thing.do_it')).toBe('do it thing');
});

test('runs, tests and tools are phrases, too', () => {
  const actions = [
    'action.run',
    'source.run',
    'workflow.run',
    'workflow.test',
    'run.replay',
    'run.cancel',
    'run.resume',
  ];
  expect([...actions, 'tool.enable', 'tool.disable'].map(phrase)).toEqual([
    'Ran action',
    'Ran source',
    'Ran workflow',
    'Tested workflow',
    'Replayed run',
    'Cancelled run',
    'Resumed run',
    'Enabled tool',
    'Disabled tool',
  ]);
});

test('all actions of the server have a phrase and can be filtered', () => {
  const actions = recorded();
  expect(actions.length).toBeGreaterThan(50);
  expect(actions.filter((action) => !/^[A-Z]/.test(phrase(action)))).toEqual([]);
  expect(
    [...new Set(actions.map((action) => action.split('.')[0] ?? ''))].filter((subject) => !(subject in SUBJECTS)),
  ).toEqual([]);
});

test('an author has a credential', () => {
  const { actor } = entry({});
  expect(credential(actor)).toBe('Console');
  expect(credential({ ...actor, credential: 'named_key', credential_name: 'ci' })).toBe('Named key ci');
  expect(credential({ ...actor, credential: 'server' })).toBe('');
});

test('a target links to its page while it exists and is your own', () => {
  expect(targetHref(entry({}), me)).toBe('/sources/dc_1');
  expect(targetHref(entry({ target: { exists: false } }), me)).toBeUndefined();
  expect(targetHref(entry({ user_id: 'u_other' }), me)).toBeUndefined();
  const user = { kind: 'user', id: 'u_2', name: 'a b' };
  expect(targetHref(entry({ target: user, user_id: 'u_2' }), { ...me, operator: true })).toBe('/users?q=a%20b');
  expect(targetHref(entry({ target: { ...user, id: 'u_me' } }), me)).toBe('/settings');
  expect(targetHref(entry({ target: { kind: 'component', exists: null } }), me)).toBeUndefined();
});

test('a target is shown by name or id', () => {
  expect(targetText(entry({}).target)).toBe('Orders');
  expect(targetText(entry({ target: { name: '' } }).target)).toBe('dc_1');
  expect(targetText(entry({ target: { kind: 'session', id: 'ses_1', name: '' } }).target)).toBe('');
});

test('details are short texts', () => {
  const given = { fields: ['name', 'url'], operator: true, sessions: 2, expires_at: null, previous_name: 'a' };
  expect(details(entry({ details: given }))).toEqual([
    'Fields: name, url',
    'Operator: yes',
    'Sessions: 2',
    'Previous name: a',
  ]);
});
