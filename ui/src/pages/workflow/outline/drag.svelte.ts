// Dragging a card with the pointer. A line shows where it is dropped.
import type { Place } from './outline.svelte';

/** A press becomes a drag after this distance. */
const THRESHOLD_PX = 6;
const EDGE_PX = 40;
const SCROLL_PX = 10;

export class Drag {
  from = $state.raw<Place>();
  /** The place that the card gets. Undefined until it is dragged. */
  target = $state.raw<Place>();
  #drop: (from: Place, index: number) => void;
  #scroller: () => HTMLElement | undefined;
  #stop: (() => void) | undefined;

  constructor(scroller: () => HTMLElement | undefined, drop: (from: Place, index: number) => void) {
    this.#scroller = scroller;
    this.#drop = drop;
  }

  start(event: PointerEvent, place: Place) {
    // Touches scroll. The menu of a card moves it there.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const item = event.currentTarget as HTMLElement;
    const items = [...(item.parentElement?.children ?? [])] as HTMLElement[];
    this.#stop?.();
    this.from = place;
    let y = event.clientY;
    let frame = 0;
    const begin = event.clientY;
    const scroll = () => {
      this.#scroll(y);
      if (this.target) this.target = { list: place.list, index: indexAt(items, y, place.index) };
      frame = requestAnimationFrame(scroll);
    };
    const move = (moved: PointerEvent) => {
      y = moved.clientY;
      if (!this.target && Math.abs(y - begin) < THRESHOLD_PX) return;
      if (!this.target) frame = requestAnimationFrame(scroll);
      this.target = { list: place.list, index: indexAt(items, y, place.index) };
    };
    const up = () => {
      const target = this.target;
      this.#stop?.();
      if (!target) return;
      // The click that follows would open the card.
      suppressClick();
      if (target.index !== place.index) this.#drop(place, target.index);
    };
    const cancel = () => this.#stop?.();
    const keydown = (pressed: KeyboardEvent) => {
      if (pressed.key !== 'Escape' || !this.target) return;
      pressed.preventDefault();
      suppressClick();
      cancel();
    };
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener('pointermove', move, { signal });
    window.addEventListener('pointerup', up, { signal });
    window.addEventListener('pointercancel', cancel, { signal });
    window.addEventListener('blur', cancel, { signal });
    window.addEventListener('keydown', keydown, { signal, capture: true });
    this.#stop = () => {
      controller.abort();
      cancelAnimationFrame(frame);
      this.from = undefined;
      this.target = undefined;
      this.#stop = undefined;
    };
  }

  /** Ends a drag without an effect. */
  cancel() {
    this.#stop?.();
  }

  /** Scrolls while the pointer is near an edge. */
  #scroll(y: number) {
    const scroller = this.#scroller();
    if (!scroller || !this.target) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    if (y < top + EDGE_PX) scroller.scrollTop -= SCROLL_PX;
    else if (y > bottom - EDGE_PX) scroller.scrollTop += SCROLL_PX;
  }
}

/** The index that the card gets when it is dropped at a height. */
function indexAt(items: HTMLElement[], y: number, from: number): number {
  const above = items.filter((item, index) => {
    if (index === from) return false;
    const { top, height } = item.getBoundingClientRect();
    return top + height / 2 < y;
  });
  return above.length;
}

function suppressClick() {
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', stop, { capture: true, once: true });
  // There is no click if the pointer was released elsewhere.
  setTimeout(() => window.removeEventListener('click', stop, { capture: true }), 0);
}
