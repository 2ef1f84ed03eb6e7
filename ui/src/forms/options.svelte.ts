// Options that the component provides, with pages and search.
import { api, body } from '../api/client';
import type { PropForm } from './form.svelte';
import { thrownErrors } from './hook-output';
import { choiceInType, type Prop } from './prop';
import { type Choice, same } from './value';

export class OptionList {
  options = $state.raw<Choice[]>([]);
  loading = $state(false);
  /** Whether there may be another page. */
  more = $state(false);
  error = $state<string | undefined>();
  #form: PropForm;
  #prop: Prop;
  #page = 0;
  #context: unknown;
  #query = '';
  /** The values of the other props at the last request. Other values may have other options. */
  #loadedFor: string | undefined;
  #request = 0;

  constructor(form: PropForm, prop: Prop) {
    this.#form = form;
    this.#prop = prop;
  }

  /** Loads the first page unless it is loaded for the current values. */
  async refresh(): Promise<void> {
    if (this.#loadedFor === this.#otherValues()) return;
    await this.#start('');
  }

  async search(query: string): Promise<void> {
    if (query === this.#query && this.#loadedFor === this.#otherValues()) return;
    await this.#start(query);
  }

  async retry(): Promise<void> {
    await this.#start(this.#query);
  }

  async next(): Promise<void> {
    if (!this.loading) await this.#fetch();
  }

  #otherValues(): string {
    const { [this.#prop.name]: _, ...others } = this.#form.values;
    return JSON.stringify(others);
  }

  async #start(query: string) {
    this.#loadedFor = this.#otherValues();
    this.#query = query;
    this.#page = 0;
    this.#context = undefined;
    this.options = [];
    this.more = false;
    await this.#fetch();
  }

  async #fetch() {
    this.#request += 1;
    const request = this.#request;
    this.loading = true;
    this.error = undefined;
    try {
      const requestBody = {
        ...this.#form.requestBody,
        prop_name: this.#prop.name,
        page: this.#page,
        prev_context: this.#context,
        query: this.#query || undefined,
      };
      const response = await body(api.POST('/v1/components/configure', { body: requestBody }));
      if (request !== this.#request) return;
      const page = response.options ?? response.stringOptions?.map((text) => ({ label: text, value: text }));
      if (page) this.#append(page, response.context);
      else this.error = thrownErrors(response.errors);
    } catch (error) {
      if (request === this.#request) this.error = error instanceof Error ? error.message : String(error);
    } finally {
      if (request === this.#request) this.loading = false;
    }
  }

  #append(page: Choice[], context: unknown) {
    // Methods without pagination return the same page again.
    const choices = page.map((choice) => choiceInType(this.#prop.type, choice));
    const added = choices.filter((choice) => !this.options.some((known) => same(known.value, choice.value)));
    this.options = [...this.options, ...added];
    this.more = added.length > 0;
    this.#page += 1;
    this.#context = context ?? undefined;
  }
}
