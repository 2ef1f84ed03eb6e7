// Evaluates CommonJS that does not mention `require`. Deno's own loader of CommonJS loads Node's compatibility layer first.

// biome-ignore lint/security/noGlobalEval: it evaluates the component, as `import` would.
const globalEval = globalThis.eval;
const PREFIX = "(function (exports, require, module, __filename, __dirname) {";

/** How many columns the first line of evaluated code is shifted. */
export const SHIFT = PREFIX.length;

/** The exports of the file at a URL. `makeRequire` is called when code that is made at run time uses `require`. */
export function evaluate(url, makeRequire) {
  const path = new URL(url).pathname;
  const wrapper = globalEval(`${PREFIX}${Deno.readTextFileSync(path)}\n})\n//# sourceURL=${url}`);
  let real;
  const require = (name) => {
    real ??= makeRequire();
    return real(name);
  };
  const module = { exports: {} };
  const { exports } = module;
  wrapper.call(exports, exports, require, module, path, path.slice(0, path.lastIndexOf("/")));
  return module.exports;
}
