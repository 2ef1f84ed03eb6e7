// Copies text to the clipboard and confirms it for a moment.
import { toast } from './toasts.svelte';

const CONFIRMATION_MS = 1_500;

export class Clipboard {
  copied = $state(false);

  async copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      this.copied = true;
      setTimeout(() => {
        this.copied = false;
      }, CONFIRMATION_MS);
    } catch {
      // Browsers allow the clipboard only on https and loopback.
      toast('The browser blocked access to the clipboard.', 'bad');
    }
  }
}
