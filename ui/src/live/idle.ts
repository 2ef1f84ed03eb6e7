// Work that may wait until a page has no input and no frame to handle.

/** It does not wait for longer. */
const TIMEOUT_MS = 500;

/** Runs a function when the page is idle. Returns a function that cancels it. */
export function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(run, { timeout: TIMEOUT_MS });
  return () => cancelIdleCallback(id);
}
