import { expect, test } from 'vitest';
import { phrase, toolOf } from './words';

test('actions read as sentences', () => {
  expect(phrase('action.run')).toBe('Ran action');
  expect(phrase('workflow.test')).toBe('Tested workflow');
  expect(phrase('webhook.rotate_secret')).toBe('Rotate secret webhook');
  expect(phrase('data_store.delete')).toBe('Deleted data store');
});

test('a run names its tool', () => {
  expect(toolOf({ tool: 'say' })).toBe('say');
  expect(toolOf({ tool: 1 })).toBeUndefined();
  expect(toolOf(null)).toBeUndefined();
});
