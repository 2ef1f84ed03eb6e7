import { expect, test } from 'vitest';
import { browserName } from './browser-name';

test('a user agent is a browser and a system', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const safari =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
  expect(browserName(chrome)).toBe('Chrome on Linux');
  expect(browserName(`${chrome} Edg/140.0.0.0`)).toBe('Edge on Linux');
  expect(browserName(safari)).toBe('Safari on macOS');
  expect(browserName('Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0')).toBe(
    'Firefox on Android',
  );
  expect(browserName('curl/8.5.0')).toBe('curl/8.5.0');
  expect(browserName('')).toBe('Unknown browser');
});
