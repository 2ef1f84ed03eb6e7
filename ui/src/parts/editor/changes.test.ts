import { expect, test } from 'vitest';
import { difference, lineEndOf, offsetIn, unified } from './changes';

test('the line end of a text is that of all of its lines', () => {
  expect(lineEndOf('a\r\nb\r\n')).toBe('\r\n');
  expect(lineEndOf('a\r\nb\n')).toBe('\n');
  expect(lineEndOf('a')).toBe('\n');
});

test('positions count unified line ends as one character', () => {
  const text = 'a\r\nbc\r\nd';
  expect(unified(text)).toBe('a\nbc\nd');
  expect([0, 1, 3, 5, 7].map((at) => offsetIn(text, at))).toEqual([0, 1, 2, 4, 5]);
});

test('the difference of two texts is one replacement', () => {
  expect(difference('same', 'same')).toBeUndefined();
  for (const [before, after] of [
    ['abc', 'abXc'],
    ['aaa', 'aa'],
    ['', 'new'],
    ['old', ''],
    ['abab', 'ababab'],
  ] as const) {
    const found = difference(before, after);
    expect(found && before.slice(0, found.from) + found.insert + before.slice(found.to)).toBe(after);
  }
});
