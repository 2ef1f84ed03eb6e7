// The globals of components.

// HTTP clients read the proxy settings at their first use.
const KEPT = /^(?:TMPDIR|STASH_DIR|https?_proxy|NODE_USE_ENV_PROXY)$/i;

const HELPERS = ["defineComponent", "defineSource", "defineAction", "defineApp"];

/** Removes globals that components must not use. */
export function clearSurroundings() {
  for (const name of Object.keys(Deno.env.toObject())) {
    if (!KEPT.test(name)) Deno.env.delete(name);
  }
  // Node has none of these, and Deno stores their data where all components could read it.
  for (const name of ["localStorage", "sessionStorage", "caches"]) delete globalThis[name];
}

/** Optional wrappers of a component. They return it unchanged. */
export function defineHelpers() {
  for (const name of HELPERS) defineGlobal(name, (component) => component);
}

export function defineGlobal(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
