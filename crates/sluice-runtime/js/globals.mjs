// What components find around them without importing it.

const HELPERS = ["defineComponent", "defineSource", "defineAction", "defineApp"];

/** Wrappers that some people put around a component: they only say what it is. */
export function defineHelpers() {
  for (const name of HELPERS) defineGlobal(name, (component) => component);
}

export function defineGlobal(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
