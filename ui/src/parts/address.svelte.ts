// View state in the URL, so that views can be linked to and the back button works.
import { searchParams } from 'sv-router';

/** Undefined or empty values remove the parameter. */
export type Changes = Record<string, string | undefined>;

/** The raw text of a parameter. */
export function param(name: string): string | undefined {
  return searchParams.toURLSearchParams().get(name) ?? undefined;
}

/** The URL of this page with some parameters changed. */
export function hrefWith(changes: Changes): string {
  const params = searchParams.toURLSearchParams();
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  return text === '' ? location.pathname : `${location.pathname}?${text}`;
}

/** Changes parameters in one history entry; with `replace` in the current one. */
export function setParams(changes: Changes, replace = false) {
  const { state } = history;
  let replacing = replace;
  for (const [name, value] of Object.entries(changes)) {
    if ((value || undefined) === param(name)) continue;
    if (value) searchParams.set(name, value, { replace: replacing });
    else searchParams.delete(name, undefined, { replace: replacing });
    replacing = true;
  }
  // Keep the router's history index: scroll restoration uses it.
  history.replaceState(state, '', location.href);
}
