// Putting a text on the clipboard, and saying for a moment that it is there.
import { toast } from './toasts.svelte';

const SAID_MS = 1_500;

export class Copying {
  done = $state(false);

  async copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      this.done = true;
      setTimeout(() => {
        this.done = false;
      }, SAID_MS);
    } catch {
      // Browsers give the clipboard only to pages of https and of this machine.
      toast('The browser did not allow copying.', 'bad');
    }
  }
}
