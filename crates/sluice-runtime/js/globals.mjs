// What components find around them without importing it.

// The proxy is what HTTP clients look for when they are first used.
const KEPT = /^(?:TMPDIR|STASH_DIR|https?_proxy|NODE_USE_ENV_PROXY)$/i;

const HELPERS = ["defineComponent", "defineSource", "defineAction", "defineApp"];

/** Takes away what is no business of components. */
export function clearSurroundings() {
  for (const name of Object.keys(Deno.env.toObject())) {
    if (!KEPT.test(name)) Deno.env.delete(name);
  }
  // Node has none of these, and Deno keeps them where all components would meet.
  for (const name of ["localStorage", "sessionStorage", "caches"]) delete globalThis[name];
}

/** Wrappers that some people put around a component: they only say what it is. */
export function defineHelpers() {
  for (const name of HELPERS) defineGlobal(name, (component) => component);
}

export function defineGlobal(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
