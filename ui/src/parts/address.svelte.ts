// The state of a view that is kept in its address, so that it can be linked to and the back button works.
import { searchParams } from 'sv-router';

/** What is undefined or empty leaves the address. */
export type Changes = Record<string, string | undefined>;

/** A parameter as it is written: numbers stay text. */
export function param(name: string): string | undefined {
  return searchParams.toURLSearchParams().get(name) ?? undefined;
}

/** The address of this page with some parameters changed. */
export function hrefWith(changes: Changes): string {
  const wanted = searchParams.toURLSearchParams();
  for (const [name, value] of Object.entries(changes)) {
    if (value) wanted.set(name, value);
    else wanted.delete(name);
  }
  const text = wanted.toString();
  return text === '' ? location.pathname : `${location.pathname}?${text}`;
}

/** Changes parameters; together they are one step of the back button, or none with `replace`. */
export function setParams(changes: Changes, replace = false) {
  const { state } = history;
  let quiet = replace;
  for (const [name, value] of Object.entries(changes)) {
    if ((value || undefined) === param(name)) continue;
    if (value) searchParams.set(name, value, { replace: quiet });
    else searchParams.delete(name, undefined, { replace: quiet });
    quiet = true;
  }
  // The router's own note of where this is in the history, by which a page that is not left comes back to its place.
  history.replaceState(state, '', location.href);
}
