// Asking before somebody leaves a page with work that is not saved.
import { blockNavigation } from 'sv-router';
import { confirm } from './confirmation.svelte';

/** Guards the page that calls this while it is being made. Moving about within the page's own address is not leaving. */
export function guardLeaving(unsaved: () => boolean, note: string) {
  const here = location.pathname;
  /** Where the next step goes, as far as it can be told beforehand. */
  let going: string | undefined;
  const click = (event: MouseEvent) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    going = anchor?.pathname;
  };
  const back = () => {
    going = location.pathname;
  };
  $effect(() => {
    addEventListener('click', click, { capture: true });
    addEventListener('popstate', back, { capture: true });
    const release = blockNavigation({
      beforeUnload: () => !unsaved(),
      onNavigate: async () => {
        const to = going;
        going = undefined;
        if (to === here || !unsaved()) return true;
        return confirm('Leave without saving?', note, 'Leave');
      },
    });
    return () => {
      removeEventListener('click', click, { capture: true });
      removeEventListener('popstate', back, { capture: true });
      release();
    };
  });
  return {
    /** Call before going to another view of this page by script. */
    stay() {
      going = here;
    },
  };
}
