// Which file of a crate imports which, and the cycles among them.
import { everyModule, resolve } from "./modules.mjs";

/** @typedef {{ from: string, to: string, path: string, line: number }} Edge */

/** One edge for each pair of files, with the first path that causes it. */
export function edgesOf(root) {
  const edges = new Map();
  for (const module of everyModule(root)) {
    for (const { target, path, line } of importsOf(module)) {
      const key = `${module.file} ${target.file}`;
      if (target !== module && !edges.has(key)) {
        edges.set(key, { from: module.file, to: target.file, path: path.join("::"), line });
      }
    }
  }
  return [...edges.values()];
}

function importsOf(module) {
  const { uses, paths, words } = module.source;
  const imports = [];
  for (const { path, name, isGlob, isReexport, line } of uses) {
    const found = resolve(module, path);
    if (!found) continue;
    // A re-export is an import only when this file uses the name itself.
    if (isReexport && (isGlob || !words.has(name))) continue;
    // The uses of an imported module are paths of their own.
    const isQualifier = found.isModule && !isGlob && paths.some(({ segments }) => segments[0] === name);
    if (!isQualifier) imports.push({ target: found.module, path, line });
  }
  for (const { segments, scope, line } of paths) {
    const path = outOfScope(segments, scope);
    const found = path && resolve(module, path);
    if (found) imports.push({ target: found.module, path: segments, line });
  }
  return imports;
}

/** A path inside modules with a block, as seen from the file. Each of these modules takes one `super`. */
function outOfScope(segments, scope) {
  if (scope.length === 0 || segments[0] !== "super") return segments;
  const leaves = segments.slice(0, scope.length).every((segment) => segment === "super");
  return leaves ? ["self", ...segments.slice(scope.length)] : undefined;
}

/** The files of each cycle, sorted. Tarjan's algorithm. */
export function cyclesOf(edges) {
  const next = new Map();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const state = new Map();
  const stack = [];
  const cycles = [];
  const visit = (file) => {
    const node = { index: state.size, low: state.size, isOnStack: true };
    state.set(file, node);
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      const known = state.get(to);
      if (!known) node.low = Math.min(node.low, visit(to).low);
      else if (known.isOnStack) node.low = Math.min(node.low, known.index);
    }
    if (node.low === node.index) {
      const component = stack.splice(stack.indexOf(file));
      for (const member of component) state.get(member).isOnStack = false;
      if (component.length > 1) cycles.push(component.sort());
    }
    return node;
  };
  for (const file of next.keys()) if (!state.has(file)) visit(file);
  return cycles.sort((a, b) => a[0].localeCompare(b[0]));
}
