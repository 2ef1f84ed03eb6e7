// Rows of form fields as values of props.
import type { Pair } from './pairs';
import { isRecord } from './prop';
import { jsonOrText, parseValue, textOf } from './value';

/** The list in rows of text; undefined if all are empty. */
export function listOf(type: string, rows: string[]): unknown[] | undefined {
  const values = rows.map((row) => parseValue(type, row)).filter((value) => value !== undefined);
  return values.length > 0 ? values : undefined;
}

/** The object in name-value rows; undefined if none has a name. */
export function objectOf(rows: Pair[]): Record<string, unknown> | undefined {
  const named = rows.filter(({ name }) => name !== '');
  return named.length > 0 ? Object.fromEntries(named.map((row) => [row.name, jsonOrText(row.value)])) : undefined;
}

/** Whether a value does not fit name-value rows. */
export function isNested(value: unknown): boolean {
  if (!isRecord(value)) return value !== undefined;
  return Object.values(value).some((inner) => typeof inner === 'object' && inner !== null);
}

/** Name-value rows of an object, or of a list of objects with `name` and `value`. */
export function pairsOf(value: unknown): Pair[] {
  if (isRecord(value)) return Object.entries(value).map(([name, inner]) => ({ name, value: textOf(inner) }));
  if (!Array.isArray(value)) return [];
  return value.map((row) =>
    isRecord(row) ? { name: textOf(row.name), value: textOf(row.value) } : { name: '', value: '' },
  );
}

/** Whether an HTTP request has no content except its method. */
export function isEmptyRequest(request: Record<string, unknown>): boolean {
  const isEmptyList = (part: unknown) => Array.isArray(part) && part.length === 0;
  return Object.entries(request).every(
    ([name, part]) => name === 'method' || part === '' || part === undefined || isEmptyList(part),
  );
}

/** Drops header and parameter rows without a name. */
export function withoutEmptyRows(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const rows = ['headers', 'params'].filter((name) => Array.isArray(value[name]));
  const isNamed = (row: unknown) => !isRecord(row) || row.name !== '';
  const kept = rows.map((name) => [name, (value[name] as unknown[]).filter(isNamed)]);
  return kept.length === 0 ? value : { ...value, ...Object.fromEntries(kept) };
}
