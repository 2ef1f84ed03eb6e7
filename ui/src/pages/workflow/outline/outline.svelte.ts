// The state of the outline of a document: the last good reading, the focused card, and the edits.
import type { TextChange } from '../../../parts/editor/editing';
import { type ToastAction, toast } from '../../../parts/toasts.svelte';
import { type Card, type Cards, cardsOf, spoken } from './cards';
import { type Edit, Editing, stepName } from './yaml/edits';
import type { Path } from './yaml/map-edits';
import { freeName } from './yaml/names';
import { type ListName, type Outline, Reader } from './yaml/read';
import { referenceCount } from './yaml/references';

/** The document as the page has it. */
export type Target = {
  text: () => string;
  /** Applies an edit. Returns a function that reverts it. */
  apply: (changes: TextChange[], after: string, typing: boolean) => (() => void) | undefined;
  reveal: (offset: number) => void;
  undo: () => void;
  redo: () => void;
};

export type Place = { list: ListName; index: number };
const REFUSED = 'This part of the document cannot be changed here. Edit the text.';

export class OutlineState {
  /** The last text without syntax errors. */
  outline = $state.raw<Outline>();
  /** Why the current text cannot be read. The outline is that of an earlier text. */
  error = $state<string>();
  /** The card that has the focus, or had it last. */
  active = $state.raw<Place>({ list: 'steps', index: 0 });
  /** The card whose form is open. */
  opened = $state.raw<Place>();
  announcement = $state('');
  cards = $state.raw<Cards>({ triggers: [], steps: [] });
  readonly names = $derived(this.outline?.steps.items.map(stepName) ?? []);
  #target: Target;
  #reader = new Reader();
  #editing = new Editing(this.#reader);

  constructor(target: Target) {
    this.#target = target;
  }

  /** Reads the current text. */
  refresh() {
    const text = this.#target.text();
    if (this.outline?.text === text) {
      this.error = undefined;
      return;
    }
    const reading = this.#reader.read(text);
    if ('error' in reading) {
      this.error = reading.error;
      return;
    }
    this.#show(reading.outline);
  }

  #show(outline: Outline) {
    const opened = this.opened;
    const before = opened && this.#keyAt(opened);
    this.outline = outline;
    this.cards = cardsOf(outline, this.cards);
    this.error = undefined;
    // The form follows its item when the text above it changes.
    if (opened && this.#keyAt(opened) !== before) this.#follow(opened.list, before);
    const { list, index } = this.active;
    const count = this.cards[list].length;
    if (index >= count) this.active = count > 0 ? { list, index: count - 1 } : { list: 'steps', index: 0 };
  }

  #keyAt({ list, index }: Place): string | undefined {
    return this.cards[list][index]?.key;
  }

  #follow(list: ListName, key: string | undefined) {
    const index = this.cards[list].findIndex((card) => card.key === key);
    if (index >= 0) this.opened = { list, index };
    else if (!this.cards[list][this.opened?.index ?? -1]) this.opened = undefined;
  }

  card({ list, index }: Place): Card | undefined {
    return this.cards[list][index];
  }

  /** A free name for a new step. */
  freeName(base: string): string {
    return freeName(base, this.names);
  }

  /** The number of references of other steps to a step. */
  references(name: string): number {
    return this.outline ? referenceCount(this.outline.steps.items, name) : 0;
  }

  add(list: ListName, index: number, item: string): boolean {
    const at = { list, index };
    return this.#edit(
      (outline) => this.#editing.insert(outline, list, index, item),
      () => {
        this.active = at;
        this.#say(`${this.#spoken(at)} added`);
      },
    );
  }

  move({ list, index }: Place, target: number): boolean {
    const count = this.cards[list].length;
    if (target < 0 || target >= count || target === index) return false;
    const key = this.#keyAt({ list, index });
    const followed = this.opened?.list === list && this.opened.index === index;
    return this.#edit(
      (outline) => this.#editing.move(outline, list, index, target),
      () => {
        this.active = { list, index: target };
        if (followed) this.#follow(list, key);
        this.#say(`${this.#spoken(this.active)}, moved`);
      },
    );
  }

  duplicate({ list, index }: Place): boolean {
    return this.#edit(
      (outline) => this.#editing.duplicate(outline, list, index),
      () => {
        this.active = { list, index: index + 1 };
        this.#say(`${this.#spoken(this.active)} added`);
      },
    );
  }

  remove(place: Place): boolean {
    const { list, index } = place;
    const card = this.card(place);
    if (!card) return false;
    const count = list === 'steps' ? this.references(card.title) : 0;
    const left =
      count > 0
        ? `. ${count} ${count === 1 ? 'reference' : 'references'} to it ${count === 1 ? 'is' : 'are'} left`
        : '';
    const done = `${list === 'steps' ? 'Step' : 'Trigger'} ${card.title} removed`;
    if (this.opened?.list === list && this.opened.index === index) this.opened = undefined;
    return this.#edit(
      (outline) => this.#editing.remove(outline, list, index),
      (undo) => {
        this.active = { list, index: Math.max(Math.min(index, this.cards[list].length - 1), 0) };
        const action: ToastAction | undefined = undo && { text: 'Undo', run: () => this.#revert(undo, place) };
        toast(`${done}${left}`, 'good', action);
        this.#say(done);
      },
    );
  }

  #revert(undo: () => void, place: Place) {
    undo();
    this.refresh();
    this.active = place;
    this.#say(`${this.#spoken(place)} is back`);
  }

  rename(index: number, name: string, references: boolean): boolean {
    return this.#edit(
      (outline) => this.#editing.rename(outline, index, name, references),
      () => this.#say(`Renamed to ${name}`),
    );
  }

  /** Sets a field of an item. `typing` joins the change with the last one in the history. */
  set({ list, index }: Place, path: Path, value: unknown): boolean {
    return this.#edit(
      (outline) => this.#editing.set(outline, list, index, path, value),
      () => {},
      true,
    );
  }

  declareSecret(name: string): boolean {
    return this.#edit(
      (outline) => this.#editing.declareSecret(outline, name),
      () => {},
    );
  }

  reveal({ list, index }: Place) {
    const at = this.outline?.[list].units.from[index];
    const card = this.outline?.[list].items[index];
    if (at === undefined || !card) return;
    const start = card.item.node?.range?.[0];
    this.#target.reveal(start === undefined ? at : start + card.offset);
  }

  /** Shows the key of a list, for one that cannot be edited. */
  revealText(pattern: RegExp) {
    this.#target.reveal(Math.max(this.#target.text().search(pattern), 0));
  }

  history(step: 'undo' | 'redo') {
    this.#target[step]();
    this.refresh();
  }

  /** Applies an edit to the current text, which may be newer than the outline. */
  #edit(
    make: (outline: Outline) => Edit | undefined,
    done: (undo: (() => void) | undefined) => void,
    typing = false,
  ): boolean {
    const before = this.names.join();
    this.refresh();
    const { outline } = this;
    if (this.error !== undefined || !outline || before !== this.names.join()) {
      if (!typing)
        toast(
          this.error === undefined
            ? 'The document has just changed. Try again.'
            : 'Fix the syntax of the document first.',
        );
      return false;
    }
    const edit = make(outline);
    if (!edit) {
      if (!typing) toast(REFUSED, 'bad');
      return false;
    }
    if (edit.changes.length > 0) {
      const undo = this.#target.apply(edit.changes, edit.text, typing);
      this.refresh();
      done(undo);
    }
    return true;
  }

  #spoken(place: Place): string {
    const card = this.card(place);
    return card ? spoken(card, this.cards[place.list].length) : '';
  }

  #say(text: string) {
    this.announcement = text;
  }
}
