import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import { restOfLine, wordAt } from './positions';

const doc = Text.of(['const a = 1;', '', '\tb = "ü🚀" + $x;', 'last']);
const found = (line: number, column?: number | null) => {
  const { from, to } = wordAt(doc, { line, column });
  return doc.sliceString(from, to);
};

test('an error marks the word at its place', () => {
  expect(found(1, 1)).toBe('const');
  expect(found(1, 7)).toBe('a');
  expect(found(1, 9)).toBe('=');
  expect(found(1)).toBe('const');
  expect(found(1, null)).toBe('const');
});

test('a tab counts as one column and an emoji as two', () => {
  expect(found(3, 2)).toBe('b');
  expect(found(3, 8)).toBe('ü'.length === 1 ? doc.sliceString(wordAt(doc, { line: 3, column: 8 }).from).charAt(0) : '');
  expect(found(3, 14)).toBe('$x');
});

test('a place outside the text is moved inside', () => {
  expect(found(0, 1)).toBe('const');
  expect(found(-5, -5)).toBe('const');
  expect(found(99, 1)).toBe('last');
  expect(wordAt(doc, { line: 1, column: 999 })).toEqual({ from: 12, to: 12 });
  expect(wordAt(doc, { line: 2, column: 1 })).toEqual({ from: 13, to: 13 });
  expect(wordAt(Text.empty, { line: 3, column: 3 })).toEqual({ from: 0, to: 0 });
});

test('the rest of a line ends before the next one', () => {
  const { from, to } = restOfLine(doc, { line: 1, column: 7 });
  expect(doc.sliceString(from, to)).toBe('a = 1;');
  expect(restOfLine(doc, { line: 4, column: 5 })).toEqual({ from: doc.length, to: doc.length });
});
