// Work that may wait: until the next frame is painted, or until a page has no input and no frame to handle.

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

/** Hidden pages have no frames. */
const NO_FRAME_MS = 100;

/** Runs a function after the next paint. Returns a function that cancels it. */
export function afterPaint(run: () => void): () => void {
  const start = () => {
    cancel();
    run();
  };
  let timer = setTimeout(start, NO_FRAME_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(start);
  });
  const cancel = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  return cancel;
}
