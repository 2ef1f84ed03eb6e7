// Back and Forward return to where a page was scrolled. The router itself begins every page at its top.
import { route } from '../routes';

/** A page gets this long to have its content; some of what was there before may be gone. */
const PATIENCE_MS = 5_000;
/** The router goes to the top when it has drawn a page, so it has to stay where it is for a moment. */
const STEADY_FRAMES = 5;
/** Whoever does something is not moved any more. */
const ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
const WINDOW = '';

/** How far the window is scrolled, and each list that has a scrollbar and a name of its own (`data-scroll`). */
type Places = Map<string, number>;

const seen = new Map<string, Places>();

/** A place in the history. Steps within a page have the number of the page. */
function entry(): string {
  const state: { _routerIndex?: number } | null = history.state;
  return `${state?._routerIndex} ${location.pathname}`;
}

function scroller(name: string): Element | null {
  return name === WINDOW ? document.documentElement : document.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
}

/** Takes the page to its places, as far as it has them by now. Tells whether it is there. */
function scroll(places: Places): boolean {
  const there = Array.from(places, ([name, top]) => {
    const element = scroller(name);
    if (!element) return false;
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
    return Math.abs(element.scrollTop - top) <= 1;
  });
  return there.every(Boolean);
}

/** Begins to remember; what is returned ends it. For `$effect`. */
export function rememberScrolling(): () => void {
  history.scrollRestoration = 'manual';
  let frame = 0;

  const note = ({ target }: Event) => {
    const name = target instanceof Element ? target.getAttribute('data-scroll') : WINDOW;
    if (frame !== 0 || name === null) return;
    const places = seen.get(entry()) ?? new Map<string, number>();
    seen.set(entry(), places.set(name, scroller(name)?.scrollTop ?? 0));
  };

  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
  };

  // Lists have to be read and measured before they can be scrolled, so it is tried until they are.
  const back = () => {
    stop();
    const places: Places = new Map(seen.get(entry()));
    let until: number | undefined;
    let steady = 0;
    const look = (now: number) => {
      if (route.pathname === location.pathname) {
        until ??= now + PATIENCE_MS;
        steady = scroll(places) ? steady + 1 : 0;
      }
      if (steady >= STEADY_FRAMES || now > (until ?? now)) frame = 0;
      else frame = requestAnimationFrame(look);
    };
    if (places.size > 0) frame = requestAnimationFrame(look);
  };

  addEventListener('popstate', back, { capture: true });
  document.addEventListener('scroll', note, { capture: true, passive: true });
  for (const act of ACTS) addEventListener(act, stop, { capture: true, passive: true });
  return () => {
    stop();
    removeEventListener('popstate', back, { capture: true });
    document.removeEventListener('scroll', note, { capture: true });
    for (const act of ACTS) removeEventListener(act, stop, { capture: true });
  };
}
