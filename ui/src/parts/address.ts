// What a view shows is in its address, so that it can be linked and the back button works.
import { searchParams } from 'sv-router';

/** A value of the address; empty when it is not there. Always text, whatever it looks like. */
export function fromAddress(name: string): string {
  return searchParams.toURLSearchParams().get(name) ?? '';
}

/** Puts values into the address, as one step of the history; an empty one is taken out. */
export function toAddress(values: Record<string, string>, how: { replace?: boolean } = {}) {
  let replace = how.replace ?? false;
  for (const [name, value] of Object.entries(values)) {
    if (fromAddress(name) === value) continue;
    if (value === '') searchParams.delete(name, undefined, { replace });
    else searchParams.set(name, value, { replace });
    replace = true;
  }
}
