// Up and down through the rows of a list, from the search field on.
import type { Attachment } from 'svelte/attachments';

/** Moves the focus between what the selector finds, in its order. */
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
