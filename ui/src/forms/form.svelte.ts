// The values of a component's props while somebody fills them in.
import { SvelteSet } from 'svelte/reactivity';
import { ApiFailure, api, body } from '../api/client';
import { isRecord, isShown, type Prop, propsOf, takesValue } from './prop';
import { thrown } from './thrown';
import { isEmpty, same, type Values } from './value';

/** Props are asked for again when the typing pauses. */
const PAUSE_MS = 350;

export type FormStart = {
  /** Id of the component. */
  component: string;
  props: readonly unknown[];
  /** The source that has values already, with secrets masked. */
  source?: { id: string; values: Values } | undefined;
  /** Other code than the source has run with so far, which may have no place for some of its values. */
  otherCode?: boolean;
};

export class PropForm {
  component: string;
  readonly sourceId: string | undefined;
  props = $state.raw<Prop[]>([]);
  values = $state.raw<Values>({});
  /** What is wrong, by the names of props. */
  faults = $state.raw<Record<string, string>>({});
  /** What is wrong with no field in particular. */
  otherFaults = $state.raw<string[]>([]);
  reloading = $state(false);
  /** Why the component could not say which props there are. */
  trouble = $state<string | undefined>();
  #dynamicPropsId: string | undefined;
  #added = new SvelteSet<string>();
  /** The values that the form began with. */
  #initial: Values = {};
  #turn = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(start: FormStart) {
    this.component = start.component;
    this.sourceId = start.source?.id;
    this.#begin(start, {});
  }

  /**
   * Begins again from what became of the source elsewhere. What was typed stays where there is still a place for it;
   * tells the labels of the fields that are gone with what was typed in them.
   */
  rebase(start: FormStart): string[] {
    const typed = this.props.filter(({ name }) => !same(this.values[name], this.#initial[name]));
    const before = this.values;
    const types = new Map(propsOf(start.props).map(({ name, type }) => [name, type]));
    const fitting = typed.filter(({ name, type }) => (types.get(name) ?? type) === type);
    this.component = start.component;
    this.#dynamicPropsId = undefined;
    // An answer that is on its way is about what was there before.
    this.#turn += 1;
    this.reloading = false;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.faults = {};
    this.otherFaults = [];
    this.#begin(start, Object.fromEntries(fitting.map(({ name }) => [name, before[name]])));
    return typed.filter(({ name }) => !same(this.values[name], before[name])).map(({ label }) => label);
  }

  #begin({ props, source, otherCode = false }: FormStart, typed: Values) {
    this.props = propsOf(props);
    const has = (name: string) => this.props.some((prop) => prop.name === name);
    const decides = (values: Values) =>
      this.props.some(({ name, reloadProps }) => reloadProps && !isEmpty(values[name]));
    let values = source ? source.values : withDefaults(this.props);
    const strays = Object.keys(values).some((name) => !has(name));
    if (otherCode) {
      const fitting = Object.entries(values).filter(([name]) => decides(source?.values ?? {}) || has(name));
      values = { ...withDefaults(this.props), ...Object.fromEntries(fitting) };
    }
    this.#initial = values;
    // Values without a prop in the code are of props that the component brought by itself.
    const asks = decides({ ...values, ...typed }) || (strays && !otherCode);
    for (const [name, value] of Object.entries(typed)) {
      if (!asks && !has(name)) continue;
      const { [name]: _, ...rest } = values;
      values = value === undefined ? rest : { ...values, [name]: value };
      this.#added.add(name);
    }
    this.values = values;
    if (asks) this.#underWay = this.reload();
  }

  get changed(): boolean {
    return JSON.stringify(this.values) !== JSON.stringify(this.#initial);
  }

  /** The value that a prop had at first. */
  initial(prop: Prop): unknown {
    return this.#initial[prop.name];
  }

  /** The props that stand in the form, in the order of the code. */
  get shown(): Prop[] {
    return this.props.filter((prop) => isShown(prop) && !this.#isFolded(prop));
  }

  /** Optional props that nobody has asked for yet. */
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

  leaveOut(prop: Prop) {
    this.set(prop, undefined);
    this.#added.delete(prop.name);
  }

  set(prop: Prop, value: unknown) {
    const { [prop.name]: _, ...rest } = this.values;
    this.values = value === undefined ? rest : { ...this.values, [prop.name]: value };
    if (this.faults[prop.name]) {
      const { [prop.name]: _, ...others } = this.faults;
      this.faults = others;
    }
    // A field that is emptied stays where it is.
    if (value === undefined) this.#added.add(prop.name);
    if (prop.reloadProps) this.#reloadSoon();
  }

  /** What is sent along with questions to the component. */
  get question() {
    return {
      id: this.component,
      configured_props: this.values,
      dynamic_props_id: this.#dynamicPropsId,
      source_id: this.sourceId,
    };
  }

  /** What goes to the server in the end, once the component has answered what it was asked. */
  async filled(): Promise<{ configured_props: Values; dynamic_props_id: string | undefined }> {
    if (this.#pause !== undefined) {
      clearTimeout(this.#pause);
      this.#underWay = this.reload();
    }
    await this.#underWay;
    const values = Object.entries(this.values).map(([name, value]) => [name, withoutEmptyRows(value)]);
    return { configured_props: Object.fromEntries(values), dynamic_props_id: this.#dynamicPropsId };
  }

  /** Whether everything that must have a value has one, as far as can be told here; faults are shown. */
  complete(): boolean {
    const missing = this.props.filter(
      (prop) =>
        isShown(prop) &&
        takesValue(prop) &&
        !prop.optional &&
        !prop.disabled &&
        !['app', '$.interface.timer'].includes(prop.type) &&
        prop.default === undefined &&
        isEmpty(this.values[prop.name]),
    );
    this.faults = Object.fromEntries(missing.map((prop) => [prop.name, 'This is required.']));
    this.otherFaults = [];
    return missing.length === 0;
  }

  /** Shows what the server refused at its fields. Tells whether that was about props at all. */
  refuse(error: unknown): boolean {
    const told = error instanceof ApiFailure ? error.details.configured_props : undefined;
    if (!told) return false;
    const faults: Record<string, string> = {};
    const others: string[] = [];
    for (const fault of told) {
      const words = typeof fault === 'string' ? fault : fault.message;
      const prop = this.props.find(({ name }) => words.startsWith(`${name} `));
      if (prop) faults[prop.name] = sentence(words.slice(prop.name.length + 1));
      else others.push(sentence(words));
    }
    for (const name of Object.keys(faults)) this.#added.add(name);
    this.faults = faults;
    this.otherFaults = others;
    return true;
  }

  #reloadSoon() {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#underWay = this.reload();
    }, PAUSE_MS);
  }

  /** Asks the component which props it has for the values so far. What was typed stays. */
  async reload(): Promise<void> {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#turn += 1;
    const turn = this.#turn;
    this.reloading = true;
    this.trouble = undefined;
    try {
      const answer = await body(api.POST('/v1/components/props', { body: this.question }));
      if (turn !== this.#turn) return;
      if (answer.dynamicProps) this.#take(answer.dynamicProps.id, propsOf(answer.dynamicProps.configurableProps));
      else this.trouble = thrown(answer.errors);
    } catch (error) {
      if (turn === this.#turn) this.trouble = error instanceof Error ? error.message : String(error);
    } finally {
      if (turn === this.#turn) this.reloading = false;
    }
  }

  #take(id: string, props: Prop[]) {
    const untouched = !this.changed;
    const before = new Set(this.props.map(({ name }) => name));
    const now = new Set(props.map(({ name }) => name));
    const kept = Object.entries(this.values).filter(([name]) => now.has(name));
    const added = props.filter(({ name }) => !before.has(name));
    this.#dynamicPropsId = id;
    this.props = props;
    this.values = { ...withDefaults(added), ...Object.fromEntries(kept) };
    // What the component brings by itself is nobody's change.
    if (untouched) this.#initial = this.values;
  }
}

/** What somebody has to see is filled in; what is folded away gets its default from the server. */
function withDefaults(props: Prop[]): Values {
  const filled = props.filter((prop) => prop.default !== undefined && !prop.optional && takesValue(prop));
  return Object.fromEntries(filled.map((prop) => [prop.name, prop.default]));
}

/** Rows of a request that were begun and have no name mean nothing. */
function withoutEmptyRows(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const rows = ['headers', 'params'].filter((name) => Array.isArray(value[name]));
  const isNamed = (row: unknown) => !isRecord(row) || row.name !== '';
  const kept = rows.map((name) => [name, (value[name] as unknown[]).filter(isNamed)]);
  return kept.length === 0 ? value : { ...value, ...Object.fromEntries(kept) };
}

function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
