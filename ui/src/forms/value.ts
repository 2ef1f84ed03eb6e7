// Prop values: conversion between the API and form fields.

/** The values of props, by name. */
export type Values = Record<string, unknown>;
export type Choice = { label: string; value: unknown };

/** The mask of a stored secret. Sending it back keeps the stored value. */
export const MASK = '********';

/** A value with the label it was selected by. */
function labelled({ label, value }: Choice): unknown {
  return { __lv: { label, value } };
}

/** The stored form of a choice. The label is stored if it differs from the value, because it cannot be looked up later. */
export function stored(choice: Choice, withLabel: boolean): unknown {
  return withLabel || choice.label !== textOf(choice.value) ? labelled(choice) : choice.value;
}

/** The label and value of a labelled value; undefined for any other value. */
function pair(value: unknown): Choice | undefined {
  if (typeof value !== 'object' || value === null || !('__lv' in value)) return undefined;
  const inner = value.__lv;
  if (typeof inner !== 'object' || inner === null || !('value' in inner)) return undefined;
  const label = 'label' in inner && typeof inner.label === 'string' ? inner.label : textOf(inner.value);
  return { label, value: inner.value };
}

/** A value without its label. */
export function plain(value: unknown): unknown {
  const known = pair(value);
  return known ? known.value : value;
}

/** The elements of a list, with or without labels; undefined for other values. */
function listElements(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const hasLabels = typeof value === 'object' && value !== null && '__lv' in value && Array.isArray(value.__lv);
  return hasLabels ? (value.__lv as unknown[]).map((inner) => ({ __lv: inner })) : undefined;
}

/** A value as a list. A single value becomes a list of one. */
export function elements(value: unknown): unknown[] {
  return listElements(value) ?? (value === undefined || value === null ? [] : [value]);
}

/** The display label of a value. */
export function labelOf(value: unknown, choices: Choice[]): string {
  const known = pair(value);
  return known?.label ?? choices.find((choice) => same(choice.value, value))?.label ?? textOf(value);
}

/** A value on one line, with labels instead of raw values. */
export function readable(value: unknown, choices: Choice[]): string {
  const labels = listElements(value)?.map((element) => labelOf(element, choices));
  return labels?.join(', ') ?? labelOf(value, choices);
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

/** A value as the text of an input field. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses text as JSON; text that is not JSON is returned unchanged. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Converts input text to a value of the type. The server validates it. */
export function parseValue(type: string, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'string') return text;
  if (type === 'integer') return integerOrText(text);
  return jsonOrText(text);
}

/** Integers that a number cannot hold stay text, so that the server rejects them instead of storing another one. */
function integerOrText(text: string): unknown {
  return /^\s*-?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || isEmptyAccount(value);
}

/** The value of an app prop without an account, as in a new step. */
function isEmptyAccount(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'authProvisionId' in value && value.authProvisionId === '';
}
