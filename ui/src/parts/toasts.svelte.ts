// Toasts: short messages about the result of an action.

/** `action` is a button, such as Undo. It also dismisses the toast. */
export type Toast = { id: number; text: string; tone: 'good' | 'bad'; action?: ToastAction | undefined };
export type ToastAction = { text: string; run: () => void };

const SHOWN_MS = { good: 4_000, bad: 9_000 };
/** A toast with an action stays longer. */
const ACTION_MS = 9_000;

let shown = $state<Toast[]>([]);
let last = 0;
/** No toast expires while the user reads. */
let held = false;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export function toasts(): Toast[] {
  return shown;
}

export function toast(text: string, tone: Toast['tone'] = 'good', action?: ToastAction) {
  last += 1;
  const added = { id: last, text, tone, action };
  shown = [...shown.slice(-3), added];
  if (!held) expire(added);
}

export function dismiss(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  shown = shown.filter((toast) => toast.id !== id);
}

/** Keeps all toasts while they have the pointer or the focus. Afterwards their time starts again. */
export function hold(active: boolean) {
  if (held === active) return;
  held = active;
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
  if (!held) shown.forEach(expire);
}

function expire({ id, tone, action }: Toast) {
  timers.set(
    id,
    setTimeout(() => dismiss(id), action ? ACTION_MS : SHOWN_MS[tone]),
  );
}

/** Runs an action and shows a toast for its result. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done) toast(done);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), 'bad');
    return false;
  }
}
