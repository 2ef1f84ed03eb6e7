// Values of props: as the API takes them, and as people read and type them.

/** The values of props, by name. */
export type Values = Record<string, unknown>;
export type Choice = { label: string; value: unknown };

/** What a stored secret looks like from outside. Sending it back means "as it was". */
export const MASK = '********';

/** How a value is stored that was picked by its label. */
function picked({ label, value }: Choice): unknown {
  return { __lv: { label, value } };
}

/** What is stored for a choice: the label goes along where it says more than the value, as nobody else knows it later. */
export function stored(choice: Choice, withLabel: boolean): unknown {
  return withLabel || choice.label !== textOf(choice.value) ? picked(choice) : choice.value;
}

/** The label and the value of what was picked; undefined for any other value. */
function pair(value: unknown): Choice | undefined {
  if (typeof value !== 'object' || value === null || !('__lv' in value)) return undefined;
  const inner = value.__lv;
  if (typeof inner !== 'object' || inner === null || !('value' in inner)) return undefined;
  const label = 'label' in inner && typeof inner.label === 'string' ? inner.label : textOf(inner.value);
  return { label, value: inner.value };
}

/** A value without the label that it may carry. */
export function plain(value: unknown): unknown {
  return pair(value)?.value ?? value;
}

/** The elements of a list, whichever way their labels were stored; undefined for what is no list. */
function listed(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const labelled = typeof value === 'object' && value !== null && '__lv' in value && Array.isArray(value.__lv);
  return labelled ? (value.__lv as unknown[]).map((inner) => ({ __lv: inner })) : undefined;
}

/** A value as a list: one that is none is the only element of one. */
export function elements(value: unknown): unknown[] {
  return listed(value) ?? (value === undefined || value === null ? [] : [value]);
}

/** What people know a value by. */
export function labelOf(value: unknown, choices: Choice[]): string {
  const known = pair(value);
  return known?.label ?? choices.find((choice) => same(choice.value, value))?.label ?? textOf(value);
}

/** A value in one line, for who only reads it: labels rather than what stands behind them. */
export function readable(value: unknown, choices: Choice[]): string {
  const labels = listed(value)?.map((element) => labelOf(element, choices));
  return labels?.join(', ') ?? labelOf(value, choices);
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

/** A value as somebody would type it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a typed text means where anything goes: JSON if it is that, otherwise the text itself. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a typed text means for a type. Whether it suits is the server's to say. */
export function meant(type: string, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'string') return text;
  if (type === 'integer') return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
  return jsonOrText(text);
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
