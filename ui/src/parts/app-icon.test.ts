import { expect, test } from 'vitest';
import { iconPath, monogram } from './app-icon';

test('an icon is loaded from the origin of the page', () => {
  expect(iconPath('https://hooks.example:8080/app-icons/github.svg')).toBe('/app-icons/github.svg');
  expect(iconPath('/app-icons/github.svg')).toBe('/app-icons/github.svg');
  expect(iconPath('//other.example/x.svg')).toBe('/x.svg');
  for (const none of [null, undefined, '']) expect(iconPath(none)).toBeUndefined();
});

test('a monogram has one or two letters', () => {
  expect(monogram('GitHub')).toBe('G');
  expect(monogram('google sheets api')).toBe('GS');
  expect(monogram('1Password (business)')).toBe('1B');
  expect(monogram('Élan')).toBe('É');
  expect(monogram('…')).toBe('?');
});
