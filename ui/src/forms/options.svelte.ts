// Choices that only the component knows: page by page, and by search.
import { api, body } from '../api/client';
import type { PropForm } from './form.svelte';
import type { Prop } from './prop';
import { thrown } from './thrown';
import { type Choice, same } from './value';

export class OptionList {
  found = $state.raw<Choice[]>([]);
  loading = $state(false);
  /** Whether there may be another page. */
  more = $state(false);
  trouble = $state<string | undefined>();
  #form: PropForm;
  #prop: Prop;
  #page = 0;
  #context: unknown;
  #query = '';
  /** The values that the choices were asked for with; others may bring other choices. */
  #asked: string | undefined;
  #turn = 0;

  constructor(form: PropForm, prop: Prop) {
    this.#form = form;
    this.#prop = prop;
  }

  /** Asks for the first page, unless it is there for the values as they are now. */
  async refresh(): Promise<void> {
    if (this.#asked === this.#others()) return;
    await this.#begin('');
  }

  async search(query: string): Promise<void> {
    if (query === this.#query && this.#asked === this.#others()) return;
    await this.#begin(query);
  }

  async again(): Promise<void> {
    await this.#begin(this.#query);
  }

  async next(): Promise<void> {
    if (!this.loading) await this.#fetch();
  }

  #others(): string {
    const { [this.#prop.name]: _, ...others } = this.#form.values;
    return JSON.stringify(others);
  }

  async #begin(query: string) {
    this.#asked = this.#others();
    this.#query = query;
    this.#page = 0;
    this.#context = undefined;
    this.found = [];
    this.more = false;
    await this.#fetch();
  }

  async #fetch() {
    this.#turn += 1;
    const turn = this.#turn;
    this.loading = true;
    this.trouble = undefined;
    try {
      const question = {
        ...this.#form.question,
        prop_name: this.#prop.name,
        page: this.#page,
        prev_context: this.#context,
        query: this.#query || undefined,
      };
      const answer = await body(api.POST('/v1/components/configure', { body: question }));
      if (turn !== this.#turn) return;
      const page = answer.options ?? answer.stringOptions?.map((text) => ({ label: text, value: text }));
      if (page) this.#take(page, answer.context);
      else this.trouble = thrown(answer.errors);
    } catch (error) {
      if (turn === this.#turn) this.trouble = error instanceof Error ? error.message : String(error);
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }

  #take(page: Choice[], context: unknown) {
    // Methods that know no pages answer the same again and again.
    const fresh = page.filter((choice) => !this.found.some((known) => same(known.value, choice.value)));
    this.found = [...this.found, ...fresh];
    this.more = fresh.length > 0;
    this.#page += 1;
    this.#context = context ?? undefined;
  }
}
