import { expect, test } from 'vitest';
import { helpAddress, helpOnError } from './help';

test('topics are addresses of the documentation', () => {
  expect(helpAddress('keys')).toBe('/docs/operate/users-and-keys#named-keys');
});

test.each([
  ['NotCapable: Requires read access to "/etc/passwd"', 'sandbox'],
  ['Requires net access to "10.0.0.7:5432"', 'network'],
  ['package left-padd does not exist', 'packages'],
  ['Timeout: the invocation ran longer than 30000 ms', 'component-errors'],
  ['the name is required', undefined],
])('%s is explained by %s', (message, topic) => {
  expect(helpOnError(message)).toBe(topic);
});
