// Runs an action when an element scrolls into view.
import type { Attachment } from 'svelte/attachments';

const MARGIN = '400px';

export function onVisible(action: () => void): Attachment<HTMLElement> {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) action();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
