// Reports pages whose code cannot be loaded: the server is unreachable, or a newer version has other files. The router
// ignores these errors.
import { toast, toasts } from '../parts/toasts.svelte';

const MESSAGE = 'This page could not be loaded. The server is unreachable or was updated. Reload the page.';

export function reportMissingCode() {
  addEventListener('vite:preloadError', () => {
    // A page has several files, but one message is enough.
    if (!toasts().some(({ text }) => text === MESSAGE)) toast(MESSAGE, 'bad');
  });
}
