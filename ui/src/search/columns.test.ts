import { describe, expect, test } from 'vitest';
import { cellOf, fieldsOf, parseColumns, writeColumns } from './columns';

const event = { total: 5, customer: { name: 'Ada', 'e.mail': 'a@b' }, 'odd "key",': 1, items: [{ n: 2 }], none: null };

describe('columns', () => {
  test('the fields of an event are paths that lead to their values', () => {
    const fields = fieldsOf(event);
    expect(fields).toEqual(['total', 'customer.name', 'customer."e.mail"', '"odd \\"key\\","', 'items', 'none']);
    expect(fields.map((field) => cellOf(event, field))).toEqual(['5', 'Ada', 'a@b', '1', '[{"n":2}]', '']);
    expect(parseColumns(writeColumns(fields))).toEqual(fields);
    expect(fieldsOf(7)).toEqual([]);
  });

  test('an index leads into a list, and a missing field is empty', () => {
    expect(cellOf(event, 'items.0.n')).toBe('2');
    expect(cellOf(event, 'total.deeper')).toBe('');
    expect(cellOf(undefined, 'a')).toBe('');
    expect([parseColumns(undefined), parseColumns('')]).toEqual([[], []]);
  });
});
