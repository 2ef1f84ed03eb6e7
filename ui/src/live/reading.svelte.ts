// Whether the user reads a live list: the pointer moves over it, or the keyboard focus is in it. New rows are held meanwhile.
import type { Attachment } from 'svelte/attachments';

/** A click gives the focus, too. Then the pointer counts. */
const byKeyboard = (target: Element) => target.matches(':focus-visible');

export class Reading {
  #pointer = $state(false);
  #focus = $state(false);
  #counts: (target: Element) => boolean;

  /** `counts` decides whether an element with the focus is read. */
  constructor(counts = byKeyboard) {
    this.#counts = counts;
  }

  get active(): boolean {
    return this.#pointer || this.#focus;
  }

  /** For the element around the rows. */
  track: Attachment<HTMLElement> = (element) => {
    const listening = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(name: Name, then: (event: HTMLElementEventMap[Name]) => void) =>
      element.addEventListener(name, then, { signal: listening.signal, passive: true });
    // A pointer that rests where a page opens is not used.
    on('pointermove', () => {
      this.#pointer = true;
    });
    on('pointerleave', () => {
      this.#pointer = false;
    });
    on('focusin', ({ target }) => {
      this.#focus = target instanceof Element && this.#counts(target);
    });
    // The focus may be lost because its row is removed, where no state can be set.
    on('focusout', () =>
      queueMicrotask(() => {
        if (!element.contains(document.activeElement)) this.#focus = false;
      }),
    );
    return () => listening.abort();
  };
}
