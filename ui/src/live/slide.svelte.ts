// Rows that move because others arrive slide to their places, and rows that arrive fade in. So nothing jumps.
import { untrack } from 'svelte';

const SLIDE: KeyframeAnimationOptions = { duration: 180, easing: 'ease-out' };

/** The distances of rows from the top of their parent, as they are seen. */
type Tops = Map<Element, number>;

/** Animates the children of an element when `changes` changes. Call it while the component is initialised. */
export function slideRows(parent: () => Element | null | undefined, changes: () => unknown) {
  const running = new Set<Animation>();
  let before: Tops = new Map();
  $effect.pre(() => {
    changes();
    before = untrack(() => topsOf(parent()));
  });
  $effect(() => {
    changes();
    const rows = untrack(parent);
    if (rows) slide(rows, before, running);
  });
}

function topsOf(parent: Element | null | undefined): Tops {
  if (!parent) return new Map();
  const { top } = parent.getBoundingClientRect();
  return new Map(Array.from(parent.children, (row) => [row, row.getBoundingClientRect().top - top]));
}

function slide(parent: Element, before: Tops, running: Set<Animation>) {
  for (const animation of running) animation.cancel();
  running.clear();
  if (prefersStillness()) return;
  const places = topsOf(parent);
  // A list that was empty, or shows another page, has no places to move from.
  if (![...places.keys()].some((row) => before.has(row))) return;
  for (const [row, top] of places) {
    const from = before.get(row);
    if (from === top) continue;
    const start = from === undefined ? { opacity: 0 } : { transform: `translateY(${from - top}px)` };
    running.add(row.animate([start, {}], SLIDE));
  }
}

/** Slides a scrolled list to its head. */
export function slideToHead(list: Element) {
  list.scrollTo({ top: 0, behavior: prefersStillness() ? 'instant' : 'smooth' });
}

function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
