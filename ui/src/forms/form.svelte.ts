// The state of a form for the props of a component.
import { SvelteSet } from 'svelte/reactivity';
import { api, body } from '../api/client';
import { propErrors } from '../api/field-errors';
import { thrownErrors } from './hook-output';
import { isShown, type Prop, propsOf, takesValue, withDefaults } from './prop';
import { withoutEmptyRows } from './rows';
import { isEmpty, same, type Values } from './value';

/** The props are reloaded after this pause in typing. */
const DEBOUNCE_MS = 350;
const REQUIRED = 'This field is required.';

export type FormStart = {
  /** The id of the component. */
  component: string;
  props: readonly unknown[];
  /** An existing source with its values; secrets are masked. */
  source?: { id: string; values: Values } | undefined;
  /** The values so far, if there is no source. Without them the form starts with the defaults. */
  values?: Values | undefined;
  /** The values are stored, with masked secrets. */
  stored?: boolean;
  /** The component differs from the one that the source runs, so some values may have no prop. */
  otherCode?: boolean;
};

export class PropForm {
  component: string;
  readonly sourceId: string | undefined;
  /** Whether secrets may be stored. */
  readonly hasStored: boolean;
  props = $state.raw<Prop[]>([]);
  values = $state.raw<Values>({});
  /** Error messages by prop name. */
  errors = $state.raw<Record<string, string>>({});
  /** Error messages of no visible field. */
  otherErrors = $state.raw<string[]>([]);
  reloading = $state(false);
  /** Why reloading the props failed. */
  reloadError = $state<string | undefined>();
  #dynamicPropsId: string | undefined;
  #added = new SvelteSet<string>();
  /** The app props that need an account, which the app decides. */
  #accountProps = new SvelteSet<string>();
  #preset = new Set<string>();
  /** The initial values. */
  #initial: Values = {};
  #request = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reloaded: Promise<void> = Promise.resolve();

  constructor(start: FormStart) {
    this.component = start.component;
    this.sourceId = start.source?.id;
    this.hasStored = start.source !== undefined || start.stored === true;
    this.#start(start, {});
  }

  /**
   * Restarts from a newer version of the source. Changes of the user are kept if their fields still exist. Returns the
   * labels of the changed fields that no longer exist.
   */
  rebase(start: FormStart): string[] {
    const edited = this.props.filter(({ name }) => !same(this.values[name], this.#initial[name]));
    const before = this.values;
    const types = new Map(propsOf(start.props).map(({ name, type }) => [name, type]));
    const fitting = edited.filter(({ name, type }) => (types.get(name) ?? type) === type);
    this.component = start.component;
    this.#dynamicPropsId = undefined;
    // A response in flight belongs to the previous state.
    this.#request += 1;
    this.reloading = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.errors = {};
    this.otherErrors = [];
    this.#start(start, Object.fromEntries(fitting.map(({ name }) => [name, before[name]])));
    return edited.filter(({ name }) => !same(this.values[name], before[name])).map(({ label }) => label);
  }

  #start({ props, source, values: given, otherCode = false }: FormStart, edited: Values) {
    this.props = propsOf(props);
    const has = (name: string) => this.props.some((prop) => prop.name === name);
    const needsReload = (values: Values) =>
      this.props.some(({ name, reloadProps }) => reloadProps && !isEmpty(values[name]));
    let values = source?.values ?? given ?? withDefaults(this.props);
    const hasUnknownValues = Object.keys(values).some((name) => !has(name));
    if (otherCode) {
      const fitting = Object.entries(values).filter(([name]) => needsReload(source?.values ?? {}) || has(name));
      values = { ...withDefaults(this.props), ...Object.fromEntries(fitting) };
    }
    this.#initial = values;
    // Values without a declared prop belong to dynamic props of the component.
    const reloads = needsReload({ ...values, ...edited }) || (hasUnknownValues && !otherCode);
    for (const [name, value] of Object.entries(edited)) {
      if (!reloads && !has(name)) continue;
      const { [name]: _, ...rest } = values;
      values = value === undefined ? rest : { ...values, [name]: value };
      this.#added.add(name);
    }
    this.values = values;
    if (reloads) this.#reloaded = this.reload();
  }

  get changed(): boolean {
    return JSON.stringify(this.values) !== JSON.stringify(this.#initial);
  }

  /** The initial value of a prop. */
  initial(prop: Prop): unknown {
    return this.#initial[prop.name];
  }

  /** The visible props, in the order of the code. */
  get shown(): Prop[] {
    return this.props.filter((prop) => isShown(prop) && !this.#isFolded(prop));
  }

  /** Optional props that are not added yet. */
  get folded(): Prop[] {
    return this.props.filter((prop) => isShown(prop) && this.#isFolded(prop));
  }

  #isFolded(prop: Prop): boolean {
    return prop.optional && takesValue(prop) && !this.#added.has(prop.name) && isEmpty(this.values[prop.name]);
  }

  add(prop: Prop) {
    this.#added.add(prop.name);
    if (prop.default !== undefined) this.set(prop, prop.default);
  }

  remove(prop: Prop) {
    this.set(prop, undefined);
    this.#added.delete(prop.name);
  }

  /** Says whether the app of a prop needs an account. */
  needAccount(prop: Prop, needed: boolean) {
    if (needed) this.#accountProps.add(prop.name);
    else this.#accountProps.delete(prop.name);
  }

  isRequired(prop: Prop): boolean {
    return !prop.optional && this.#accountProps.has(prop.name);
  }

  /** Fills in a required value of a new source, once. It is no change of the user. */
  preset(prop: Prop, value: unknown) {
    if (this.sourceId !== undefined || prop.optional || prop.disabled || this.#preset.has(prop.name)) return;
    this.#preset.add(prop.name);
    if (!isEmpty(this.values[prop.name])) return;
    this.#initial = { ...this.#initial, [prop.name]: value };
    this.set(prop, value);
  }

  set(prop: Prop, value: unknown) {
    const { [prop.name]: _, ...rest } = this.values;
    this.values = value === undefined ? rest : { ...this.values, [prop.name]: value };
    if (this.errors[prop.name]) {
      const { [prop.name]: _, ...others } = this.errors;
      this.errors = others;
    }
    // A cleared field stays visible.
    if (value === undefined) this.#added.add(prop.name);
    if (prop.reloadProps) this.#scheduleReload();
  }

  /** The body of requests for props and options. */
  get requestBody() {
    return {
      id: this.component,
      configured_props: this.values,
      dynamic_props_id: this.#dynamicPropsId,
      source_id: this.sourceId,
    };
  }

  /** The values to save, after pending reloads. */
  async submission(): Promise<{ configured_props: Values; dynamic_props_id: string | undefined }> {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#reloaded = this.reload();
    }
    await this.#reloaded;
    const values = Object.entries(this.values).map(([name, value]) => [name, withoutEmptyRows(value)]);
    return { configured_props: Object.fromEntries(values), dynamic_props_id: this.#dynamicPropsId };
  }

  /** Checks that required props have values and shows errors. The server checks the rest. */
  validate(): boolean {
    const missing = this.props.filter(
      (prop) =>
        isShown(prop) &&
        takesValue(prop) &&
        !prop.optional &&
        !prop.disabled &&
        prop.type !== '$.interface.timer' &&
        (prop.type !== 'app' || this.isRequired(prop)) &&
        prop.default === undefined &&
        isEmpty(this.values[prop.name]),
    );
    this.errors = Object.fromEntries(missing.map((prop) => [prop.name, REQUIRED]));
    this.otherErrors = [];
    return missing.length === 0;
  }

  /** Shows the prop errors of the server at their fields. Returns false for any other error. */
  showErrors(error: unknown): boolean {
    const invalid = propErrors(error);
    if (!invalid) return false;
    const errors: Record<string, string> = {};
    const others: string[] = [];
    for (const { prop, code, message } of invalid) {
      if (!this.props.some(({ name }) => name === prop)) others.push(sentence(message));
      else errors[prop] = code === 'required' ? REQUIRED : sentence(message);
    }
    for (const name of Object.keys(errors)) this.#added.add(name);
    this.errors = errors;
    this.otherErrors = others;
    return true;
  }

  /** Whether the props may be those of earlier values. */
  protected get awaitsProps(): boolean {
    return this.reloading || this.#timer !== undefined;
  }

  #scheduleReload() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reloaded = this.reload();
    }, DEBOUNCE_MS);
  }

  /** Loads the props that the component has for the current values. Entered values are kept. */
  async reload(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#request += 1;
    const request = this.#request;
    this.reloading = true;
    this.reloadError = undefined;
    try {
      const response = await body(api.POST('/v1/components/props', { body: this.requestBody }));
      if (request !== this.#request) return;
      if (response.dynamicProps)
        this.#apply(response.dynamicProps.id, propsOf(response.dynamicProps.configurableProps));
      else this.reloadError = thrownErrors(response.errors);
    } catch (error) {
      if (request === this.#request) this.reloadError = error instanceof Error ? error.message : String(error);
    } finally {
      if (request === this.#request) this.reloading = false;
    }
  }

  #apply(id: string, props: Prop[]) {
    const untouched = !this.changed;
    const before = new Set(this.props.map(({ name }) => name));
    const now = new Set(props.map(({ name }) => name));
    const kept = Object.entries(this.values).filter(([name]) => now.has(name));
    const added = props.filter(({ name }) => !before.has(name));
    this.#dynamicPropsId = id;
    this.props = props;
    this.values = { ...withDefaults(added), ...Object.fromEntries(kept) };
    // Values of new dynamic props are not changes of the user.
    if (untouched) this.#initial = this.values;
  }
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
