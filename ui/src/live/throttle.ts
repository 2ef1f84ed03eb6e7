// Throttling: a burst of calls runs the action at its start and at its end.

/** Runs the action at once, and then at most once per interval. A call within the interval runs at its end. */
export function throttled(action: () => void, intervalMs = 1_000): { call: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending = false;
  const expire = () => {
    timer = undefined;
    if (pending) call();
  };
  const call = () => {
    if (timer) {
      pending = true;
      return;
    }
    pending = false;
    timer = setTimeout(expire, intervalMs);
    action();
  };
  return { call, stop: () => clearTimeout(timer) };
}
