// Node's compatibility layer. Loading it takes longer than the rest of a start, so it is loaded at first use.

const { defineProperty, getOwnPropertyDescriptor } = Object;

let process;

/**
 * Replaces a global that Deno loads at first use. At that time `wrap` makes the new value from the old one. Code that
 * assigns the global gets the assigned value.
 */
export function wrapGlobal(name, wrap) {
  const original = getOwnPropertyDescriptor(globalThis, name);
  if (original === undefined) return;
  const { enumerable } = original;
  const settle = (value) => defineProperty(globalThis, name, { value, enumerable, writable: true, configurable: true });
  const load = () => {
    defineProperty(globalThis, name, original);
    const value = wrap(globalThis[name]);
    settle(value);
    return value;
  };
  defineProperty(globalThis, name, { get: load, set: settle, enumerable, configurable: true });
}

/** Calls `prepare(process)` before other code sees Node's `process`. */
export function prepareProcess(prepare) {
  wrapGlobal("process", (loaded) => {
    process = loaded;
    prepare(loaded);
    return loaded;
  });
}

/** Loads Node's `process`, also for code that imports it and does not use the global. */
export function loadProcess() {
  process ??= globalThis.process;
  return process;
}

/** A module of Node. */
export function nodeModule(name) {
  return loadProcess().getBuiltinModule(`node:${name}`);
}
