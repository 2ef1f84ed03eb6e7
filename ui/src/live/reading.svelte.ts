// Whether the user reads a live list: the pointer moves over it, or the keyboard focus is in it. New rows are held meanwhile.
import type { Attachment } from 'svelte/attachments';

export class Reading {
  #pointer = $state(false);
  #focus = $state(false);

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
    // A click gives the focus, too. Then the pointer counts.
    on('focusin', ({ target }) => {
      this.#focus = target instanceof Element && target.matches(':focus-visible');
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
