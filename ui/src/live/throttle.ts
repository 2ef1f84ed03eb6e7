// News that come in bursts lead to one look at the server, and to a last one when the burst is over.

/** Calls the action at once, and then at most once in each pause; what came within a pause is not forgotten. */
export function throttled(action: () => void, pauseMs = 1_000): { call: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted = false;
  const rest = () => {
    timer = undefined;
    if (wanted) call();
  };
  const call = () => {
    if (timer) {
      wanted = true;
      return;
    }
    wanted = false;
    timer = setTimeout(rest, pauseMs);
    action();
  };
  return { call, stop: () => clearTimeout(timer) };
}
