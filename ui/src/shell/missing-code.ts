// Code of a page that did not come: the server is away, or it is a newer one that has other files. The router says nothing of it.
import { toast, toasts } from '../parts/toasts.svelte';

const WORDS = 'This page did not load: the server is away, or was updated. Reload to go on.';

export function tellOfMissingCode() {
  addEventListener('vite:preloadError', () => {
    // A page has several files.
    if (!toasts().some(({ text }) => text === WORDS)) toast(WORDS, 'bad');
  });
}
