// Short messages about what was done, or what failed, at the edge of the page.

export type Toast = { id: number; text: string; tone: 'good' | 'bad' };

const SHOWN_MS = { good: 4_000, bad: 9_000 };

let shown = $state<Toast[]>([]);
let last = 0;

export function toasts(): Toast[] {
  return shown;
}

export function toast(text: string, tone: Toast['tone'] = 'good') {
  last += 1;
  const id = last;
  shown = [...shown.slice(-3), { id, text, tone }];
  setTimeout(() => dismiss(id), SHOWN_MS[tone]);
}

export function dismiss(id: number) {
  shown = shown.filter((toast) => toast.id !== id);
}

/** Does something that may fail; a failure is shown. Tells whether it went well. */
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
