// Doing something when the end of a list comes into sight.
import type { Attachment } from 'svelte/attachments';

const AHEAD = '400px';

export function whenSeen(action: () => void): Attachment<HTMLElement> {
  return (element) => {
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) action();
      },
      { rootMargin: AHEAD },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  };
}
