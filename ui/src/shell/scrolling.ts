// Restores scroll positions on Back and Forward. The router itself scrolls every page to its top.
import { route } from '../routes';

/** Restoring stops after this long, because some content may no longer exist. */
const TIMEOUT_MS = 5_000;
/** The router scrolls to the top after rendering, so the position has to hold for some frames. */
const STEADY_FRAMES = 5;
/** User input stops restoring. */
const INPUT_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
const WINDOW = '';

/** Scroll positions of the window and of each scrolling list, by its name in `data-scroll`. */
type Positions = Map<string, number>;

const saved = new Map<string, Positions>();

/** A key for the history entry. Entries within one page share the index of the page. */
function entry(): string {
  const state: { _routerIndex?: number } | null = history.state;
  return `${state?._routerIndex} ${location.pathname}`;
}

function scroller(name: string): Element | null {
  return name === WINDOW ? document.documentElement : document.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
}

/** Scrolls as far as the content allows. Returns whether all positions are reached. */
function restore(positions: Positions): boolean {
  const reached = Array.from(positions, ([name, top]) => {
    const element = scroller(name);
    if (!element) return false;
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
    return Math.abs(element.scrollTop - top) <= 1;
  });
  return reached.every(Boolean);
}

/** Starts saving and restoring; returns the function that stops it. For `$effect`. */
export function trackScrolling(): () => void {
  history.scrollRestoration = 'manual';
  let frame = 0;

  const save = ({ target }: Event) => {
    const name = target instanceof Element ? target.getAttribute('data-scroll') : WINDOW;
    if (frame !== 0 || name === null) return;
    const positions = saved.get(entry()) ?? new Map<string, number>();
    saved.set(entry(), positions.set(name, scroller(name)?.scrollTop ?? 0));
  };

  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
  };

  // Lists have to be loaded and measured before they can be scrolled, so every frame retries.
  const back = () => {
    stop();
    const positions: Positions = new Map(saved.get(entry()));
    let deadline: number | undefined;
    let steady = 0;
    const tick = (now: number) => {
      if (route.pathname === location.pathname) {
        deadline ??= now + TIMEOUT_MS;
        steady = restore(positions) ? steady + 1 : 0;
      }
      if (steady >= STEADY_FRAMES || now > (deadline ?? now)) frame = 0;
      else frame = requestAnimationFrame(tick);
    };
    if (positions.size > 0) frame = requestAnimationFrame(tick);
  };

  addEventListener('popstate', back, { capture: true });
  document.addEventListener('scroll', save, { capture: true, passive: true });
  for (const event of INPUT_EVENTS) addEventListener(event, stop, { capture: true, passive: true });
  return () => {
    stop();
    removeEventListener('popstate', back, { capture: true });
    document.removeEventListener('scroll', save, { capture: true });
    for (const event of INPUT_EVENTS) removeEventListener(event, stop, { capture: true });
  };
}
