// Names of steps.

const MAX = 64;
const VALID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The error of a name; undefined if it is valid. */
export function nameError(name: string, others: string[]): string | undefined {
  if (name === '') return 'Enter a name.';
  if (!VALID.test(name)) return 'Use letters, digits and _, not beginning with a digit.';
  if (name.length > MAX) return `Use at most ${MAX} characters.`;
  if (name === 'trigger') return 'This name is taken by the trigger.';
  return others.includes(name) ? 'Another step has this name.' : undefined;
}

/** A name from words, such as `create_issue`. */
export function nameFrom(words: string): string {
  const joined = (words.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('_');
  return joined.replace(/^(?=\d|trigger$|$)/, 'step_').slice(0, MAX - 8);
}

/** A name that is not taken, with a number if needed. */
export function freeName(base: string, taken: string[]): string {
  if (!taken.includes(base)) return base;
  const stem = base.replace(/_\d+$/, '').slice(0, MAX - 5);
  let number = 2;
  while (taken.includes(`${stem}_${number}`)) number += 1;
  return `${stem}_${number}`;
}
