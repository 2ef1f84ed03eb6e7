// Asks for confirmation before leaving a page with unsaved changes or with a running operation.
import { blockNavigation } from 'sv-router';
import { confirm } from './confirmation.svelte';

/** Guards the current page. Navigation within its own path is allowed. Call it while the component is initialised. */
export function guardUnsaved(unsaved: () => boolean, note: string, title = 'Discard unsaved changes?') {
  const here = location.pathname;
  /** The path of the next navigation, if known in advance. */
  let target: string | undefined;
  const click = (event: MouseEvent) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    target = anchor?.pathname;
  };
  const onPopState = () => {
    target = location.pathname;
  };
  $effect(() => {
    addEventListener('click', click, { capture: true });
    addEventListener('popstate', onPopState, { capture: true });
    const release = blockNavigation({
      beforeUnload: () => !unsaved(),
      onNavigate: async () => {
        const to = target;
        target = undefined;
        if (to === here || !unsaved()) return true;
        return confirm(title, note, 'Leave');
      },
    });
    return () => {
      removeEventListener('click', click, { capture: true });
      removeEventListener('popstate', onPopState, { capture: true });
      release();
    };
  });
  return {
    /** Call before navigating within this page by script. */
    stay() {
      target = here;
    },
  };
}
