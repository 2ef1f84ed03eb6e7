// Asking before something is lost. One question at a time, answered by whoever is in front of the page.

export type Question = { title: string; note: string; action: string; answer: (yes: boolean) => void };

let asked = $state<Question | undefined>();

export function question(): Question | undefined {
  return asked;
}

/** Asks, and tells whether the answer was yes. */
export function confirm(title: string, note: string, action: string): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    asked = {
      title,
      note,
      action,
      answer: (yes) => {
        asked = undefined;
        resolve(yes);
      },
    };
  });
}
