// Arrow keys move through the rows of a list, starting at the search field.
import type { Attachment } from 'svelte/attachments';

/** Moves the focus between the elements that match the selector, in document order. */
export function arrowKeys(selector: string): Attachment<HTMLElement> {
  return (element) => {
    function keydown(event: KeyboardEvent) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      const stops = [...element.querySelectorAll<HTMLElement>(selector)];
      const at = stops.indexOf(document.activeElement as HTMLElement);
      const next = at < 0 ? undefined : stops[event.key === 'ArrowDown' ? at + 1 : at - 1];
      if (!next) return;
      event.preventDefault();
      next.focus();
    }
    element.addEventListener('keydown', keydown);
    return () => element.removeEventListener('keydown', keydown);
  };
}
