// The modules of one crate, and the file that a path leads to.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readSource } from "./rust-source.mjs";

/** @typedef {{ file: string, parent?: Module, children: Map<string, Module>, source: import("./rust-source.mjs").Source }} Module */

/** The root modules of a crate: its library and its programs. */
export function readCrate(folder) {
  const src = join(folder, "src");
  const programs = existsSync(join(src, "bin")) ? readdirSync(join(src, "bin")).map((name) => join("bin", name)) : [];
  return ["lib.rs", "main.rs", ...programs]
    .map((name) => join(src, name))
    .filter((file) => file.endsWith(".rs") && existsSync(file))
    .map((file) => readModule(file, undefined));
}

/** @returns {Module} */
function readModule(file, parent) {
  const module = { file, parent, children: new Map(), source: readSource(readFileSync(file, "utf8")) };
  const isFolder = parent === undefined || basename(file) === "mod.rs";
  const folder = isFolder ? dirname(file) : file.replace(/\.rs$/, "");
  for (const name of module.source.modules) {
    const candidates = [join(folder, `${name}.rs`), join(folder, name, "mod.rs")];
    const child = candidates.find((candidate) => existsSync(candidate));
    if (child) module.children.set(name, readModule(child, module));
  }
  return module;
}

export function everyModule(module) {
  return [module, ...[...module.children.values()].flatMap(everyModule)];
}

/**
 * Follows a path from a module to the module whose file defines its end, through re-exports. `isModule` says whether
 * the path ends at the module itself. Undefined when the path leaves the crate.
 */
export function resolve(module, segments, seen = new Set()) {
  let current = module;
  let rest = segments;
  let isRooted = false;
  for (; ["crate", "self", "super"].includes(rest[0]); rest = rest.slice(1)) {
    if (rest[0] === "crate") current = rootOf(current);
    if (rest[0] === "super") current = current.parent ?? current;
    isRooted = true;
  }
  if (!isRooted && !knows(current, rest[0])) return undefined;
  return follow(current, rest, seen);
}

function rootOf(module) {
  return module.parent ? rootOf(module.parent) : module;
}

function knows({ children, source }, name) {
  return children.has(name) || source.uses.some((use) => !use.isGlob && use.name === name && use.path[0] !== name);
}

function follow(start, segments, seen) {
  let module = start;
  for (const [index, name] of segments.entries()) {
    const child = module.children.get(name);
    if (child) {
      module = child;
      continue;
    }
    const rest = segments.slice(index + 1);
    return followItem(module, name, rest, seen) ?? { module, isModule: false };
  }
  return { module, isModule: true };
}

function followItem(module, name, rest, seen) {
  const key = `${module.file} ${name}`;
  if (module.source.items.has(name) || seen.has(key)) return undefined;
  const visited = new Set(seen).add(key);
  const named = module.source.uses.find((use) => !use.isGlob && use.name === name);
  if (named) return resolve(module, [...named.path, ...rest], visited);
  for (const glob of module.source.uses.filter((use) => use.isGlob)) {
    const target = resolve(module, glob.path, visited);
    if (!target?.isModule) continue;
    const isThere = target.module.source.items.has(name) || knows(target.module, name);
    if (isThere) return follow(target.module, [name, ...rest], visited);
  }
  return undefined;
}
