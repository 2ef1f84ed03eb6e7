import { expect, test } from 'vitest';
import { namesOfKeys, toolOf } from './words';

test('a run names its tool', () => {
  expect(toolOf({ tool: 'say' })).toBe('say');
  expect(toolOf({ tool: 1 })).toBeUndefined();
  expect(toolOf(null)).toBeUndefined();
});

test('entries name keys that are not listed', () => {
  const keys = [{ id: 'key_1', name: 'ci' }];
  const actor = (credential_id: string | null, credential_name: string | null) => ({ credential_id, credential_name });
  const actors = [actor('key_1', 'old name'), actor('key_2', 'gone'), actor(null, null), actor('key_3', null)];
  expect([...namesOfKeys(keys, actors, 'key_4')]).toEqual([
    ['key_1', 'ci'],
    ['key_2', 'gone'],
    ['key_3', 'Deleted key'],
    ['key_4', 'Deleted key'],
  ]);
  expect([...namesOfKeys(keys, [], '')]).toEqual([['key_1', 'ci']]);
});
