// Confirmation dialogs, one at a time.

export type Question = { title: string; note: string; action: string; answer: (confirmed: boolean) => void };

let current = $state<Question | undefined>();

export function question(): Question | undefined {
  return current;
}

/** Shows a confirmation dialog. Resolves to whether the user confirmed. */
export function confirm(title: string, note: string, action: string): Promise<boolean> {
  current?.answer(false);
  return new Promise((resolve) => {
    current = {
      title,
      note,
      action,
      answer: (confirmed) => {
        current = undefined;
        resolve(confirmed);
      },
    };
  });
}
