// The props of a step as a form. Each change is written to the document.
import { type FormStart, PropForm } from '../../../forms/form.svelte';
import { isRecord, type Prop, propsOf } from '../../../forms/prop';
import { withoutEmptyRows } from '../../../forms/rows';
import { plain, type Values } from '../../../forms/value';
import { equal } from './yaml/text';

/** Writes the value of a prop, or removes it. Returns whether the document could be changed. */
export type WriteProp = (name: string, value: unknown) => boolean;

/** The server reads these values itself, so they cannot be expressions. */
const LITERAL_TYPES = [
  'app',
  'data_store',
  'alert',
  'dir',
  '$.service.db',
  '$.interface.http',
  '$.interface.timer',
  '$.interface.apphook',
];

export class StepForm extends PropForm {
  /** The document refused a change. */
  refused = $state(false);
  #switched = $state.raw<Record<string, boolean>>({});
  #known: Values;
  #write: WriteProp;

  constructor(start: Pick<FormStart, 'component' | 'props'>, values: Values, write: WriteProp) {
    super({ ...start, values: forForm(start.props, values) });
    this.#known = values;
    this.#write = write;
  }

  /** Takes over values that were changed in the text. */
  sync(values: Values) {
    const before = this.#known;
    if (equal(values, before)) return;
    const kept = Object.entries(this.#switched).filter(([name]) => equal(values[name], before[name]));
    this.#switched = Object.fromEntries(kept);
    this.#known = values;
    this.refused = false;
    const needsProps = this.props.some(({ name, reloadProps }) => reloadProps && !equal(values[name], before[name]));
    // Values of props that the component has not told yet are kept until it has.
    this.values = needsProps || this.awaitsProps ? values : this.#declared(values);
    if (needsProps) void this.reload();
  }

  /** The document has the values. Opening a form does not change it. */
  override preset(_prop: Prop, _value: unknown) {}

  #declared(values: Values): Values {
    const names = new Set(this.props.map(({ name }) => name));
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  }

  /** Values that no prop of the component has. */
  get others(): string[] {
    const names = new Set(this.props.map(({ name }) => name));
    return this.reloading ? [] : Object.keys(this.#known).filter((name) => !names.has(name));
  }

  takesExpression(prop: Prop): boolean {
    return !LITERAL_TYPES.includes(prop.type) && prop.static === undefined && !prop.disabled;
  }

  isExpression(prop: Prop): boolean {
    if (!this.takesExpression(prop)) return false;
    const value = this.values[prop.name];
    const holds = prop.secret ? holdsExpression(value) && secretName(value) === undefined : holdsExpression(value);
    return this.#switched[prop.name] ?? holds;
  }

  /** Shows a field as an expression or as a value. An expression is no value, so it is removed, unless text is expected. */
  switchTo(prop: Prop, expression: boolean) {
    this.#switched = { ...this.#switched, [prop.name]: expression };
    if (!expression && holdsExpression(this.values[prop.name]) && prop.type !== 'string') this.set(prop, undefined);
  }

  override set(prop: Prop, value: unknown) {
    // A field stays one for expressions when its text is deleted.
    if (this.isExpression(prop) && !holdsExpression(value)) this.#switched = { ...this.#switched, [prop.name]: true };
    super.set(prop, value);
    this.write(prop.name, clean(value));
  }

  /** Writes a value, also one without a field. */
  write(name: string, value: unknown) {
    const { [name]: _, ...rest } = this.#known;
    if (equal(this.#known[name], value)) return;
    this.#known = value === undefined ? rest : { ...this.#known, [name]: value };
    if (!this.#write(name, value)) this.refused = true;
  }

  /** Components get no expressions while the form is filled in. */
  override get requestBody() {
    const values = Object.entries(this.values).filter(([, value]) => !JSON.stringify(value ?? null).includes('{{'));
    return { ...super.requestBody, configured_props: Object.fromEntries(values) };
  }
}

/** Props can depend on values of which the component tells the props only when it is asked. */
function forForm(rows: readonly unknown[], values: Values): Values {
  const props = propsOf(rows);
  if (props.some(({ reloadProps }) => reloadProps)) return values;
  const names = new Set(props.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

export function holdsExpression(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{');
}

/** The environment value that an expression reads; undefined for other expressions. */
export function secretName(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{\{\s*process\.env\.(\w+)\s*\}\}$/.exec(value.trim())?.[1] : undefined;
}

export function secretExpression(name: string): string {
  return `{{ process.env.${name} }}`;
}

/** A value as it is in a document: without labels and without rows that are still empty. */
function clean(value: unknown): unknown {
  const without = withoutEmptyRows(plain(value));
  return Array.isArray(without) ? without.map((one) => plain(one)) : without;
}

/** The values of `props` of a step. */
export function valuesOf(item: unknown): Values {
  const props = isRecord(item) ? item.props : undefined;
  return isRecord(props) ? props : {};
}

/** The rows of declared props, and of values without one, as any JSON. */
export function withUndeclared(rows: Record<string, unknown>[], values: Values): Record<string, unknown>[] {
  const declared = new Set(rows.map(({ name }) => name));
  const others = Object.keys(values).filter((name) => !declared.has(name));
  return [...rows, ...others.map((name) => ({ name, type: 'any' }))];
}
