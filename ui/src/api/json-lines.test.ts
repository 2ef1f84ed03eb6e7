import { expect, test } from 'vitest';
import { jsonLines } from './json-lines';

test('values are complete lines, however the text arrives', () => {
  const text = '{"n":1}\n\n{"n":2}\r\n\n\n{"n":"é\\n"}\n';
  const expected = [{ n: 1 }, { n: 2 }, { n: 'é\n' }];
  for (const size of [1, 2, 7, text.length]) {
    const parse = jsonLines();
    const values: unknown[] = [];
    for (let at = 0; at < text.length; at += size) values.push(...parse(text.slice(at, at + size)));
    expect(values).toEqual(expected);
  }
});

test('an incomplete last line is no value', () => {
  const parse = jsonLines();
  expect(parse('{"n":1}\n{"n":')).toEqual([{ n: 1 }]);
  expect(parse('')).toEqual([]);
  expect(parse('2}')).toEqual([]);
});

test('a line that is no JSON is an error', () => {
  expect(() => jsonLines()('<html>\n')).toThrow(SyntaxError);
});
