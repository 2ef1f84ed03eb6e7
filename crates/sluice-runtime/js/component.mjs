// Loading a component.

import process from "node:process";
import { describeError, setComponentFolder } from "./errors.mjs";

/** Imports the component's entry file; gives the component object or throws. */
export async function load(fileUrl) {
  const folder = new URL(".", fileUrl);
  setComponentFolder(folder.href);
  // Packages are looked for in the component's own folder: asking further up would be refused as forbidden
  // where "not found" is meant.
  const { Module } = process.getBuiltinModule("node:module");
  Module._nodeModulePaths = () => [`${folder.pathname}node_modules`];
  const module = await import(fileUrl);
  const exported = module.default;
  const component = exported?.__esModule ? exported.default : exported;
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

export function loadFault(error) {
  const { name, message, stack, line, column } = describeError(error);
  const [headline] = message.split(/\n(?:Require stack:|\s+(?:at|hint:) )/);
  return { message: name === "Error" || name === "TypeError" ? headline : `${name}: ${headline}`, stack, line, column };
}
