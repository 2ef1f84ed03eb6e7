// Loads a component.

import { evaluate, SHIFT } from "./common_js.mjs";
import { componentOf } from "./function_step.mjs";
import { nodeModule } from "./node.mjs";

/** Modules of Node that packages use. Their first import is most of the cost of loading a package. */
const NODE_MODULES =
  "assert async_hooks buffer child_process crypto dns events fs fs/promises http http2 https module net os path " +
  "querystring stream stream/promises string_decoder timers tls tty url util worker_threads zlib";

const ownFolders = [];
let everywhere;

/** Done by an idle process, ahead of its component. */
export async function importNodeModules() {
  for (const name of NODE_MODULES.split(" ")) await import(`node:${name}`);
}

/**
 * Imports the entry of a module. Returns the component object or throws. `node` says whether the code may use Node before it
 * reads a global. Errors name the files by `names`.
 */
export async function load({ folder, file, entry, locations, packages, node, acceptsFunctions }, names) {
  names.nameFiles({ files: `${folder}/src/`, file, entry, locations });
  const exported = await importDefault({ folder, file, packages, node }, names);
  const component = exported?.__esModule ? exported.default : exported;
  if (acceptsFunctions && typeof component === "function") return componentOf(component);
  if (component === undefined) {
    throw new TypeError("the module exports no component: use module.exports = {…} or export default {…}");
  }
  if (typeof component !== "object" || component === null) {
    throw new TypeError(
      `the module exports ${component === null ? "null" : `a ${typeof component}`} where a component object is expected`,
    );
  }
  return component;
}

async function importDefault({ folder, file, packages, node }, names) {
  if (!node && file.endsWith(".cjs")) {
    names.nameEvaluated(file, SHIFT);
    return evaluate(file, () => {
      lookForPackages(folder, packages);
      return nodeModule("module").createRequire(file);
    });
  }
  if (node) lookForPackages(folder, packages);
  const module = await import(file);
  return module.default;
}

/** Resolves packages in the module's folder and in its packages only. Lookups in parent folders would fail with a permission
 * error instead of "not found". */
export function lookForPackages(folder, packages) {
  ownFolders.push(`${new URL(folder).pathname}/`, ...(packages ? [packages] : []));
  if (everywhere !== undefined) return;
  const { Module } = nodeModule("module");
  everywhere = Module._nodeModulePaths;
  Module._nodeModulePaths = (from) => everywhere(from).filter((path) => ownFolders.some((own) => path.startsWith(own)));
}

export function loadError(error, names) {
  const { name, message, stack, file, line, column } = names.describeError(error);
  // The message of a missing export contains its position, with the path of the internal folder.
  const [headline] = message.split(/\n(?:Require stack:|\s+(?:at|hint:) )| at file:\/\/\S+$/);
  const own = names.ownLines(headline);
  const told = name === "Error" || name === "TypeError" ? own : `${name}: ${own}`;
  return { message: told, stack, file, line, column };
}
