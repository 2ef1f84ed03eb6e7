// Stand-ins for npm packages, for code that is only looked at: whatever is read from one, called, constructed or extended
// is a stand-in again, so that a component loads without anything being installed.

import process from "node:process";
import { defineGlobal } from "./globals.mjs";

const PLATFORM = "@pipedream/platform";
const TYPES = "@pipedream/types";
/** An app that is published as a package, by its name or by its file. */
const APP = /^@pipedream\/([\w-]+)(?:\/[\w-]+\.app(?:\.\w+)?)?$/;

class ConfigurationError extends Error {
  name = "ConfigurationError";
}

const same = (value) => value;
const KNOWN = {
  [PLATFORM]: { ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL: 900 },
  [TYPES]: { defineApp: same, defineAction: same, defineSource: same, defineComponent: same },
};

const made = new WeakSet();
const packages = new Map();

/** Whether a value would come from a package, so that nothing is known of it. */
export function isStandIn(value) {
  return (typeof value === "function" || typeof value === "object") && value !== null && made.has(value);
}

/** From now on `require` gives stand-ins, and so does the global function that stands where an import was. */
export function giveStandIns() {
  defineGlobal("__sluiceStandIn", standInFor);
  const { Module, isBuiltin } = process.getBuiltinModule("node:module");
  const load = Module._load;
  Module._load = (request, parent, isMain) => {
    const isPackage = !isBuiltin(request) && !/^(?:[./#]|\w+:)/.test(request);
    return isPackage ? standInFor(request) : load.call(Module, request, parent, isMain);
  };
}

function standInFor(specifier) {
  let found = packages.get(specifier);
  if (found === undefined) {
    found = standIn(Object.entries(KNOWN[specifier] ?? appOf(specifier)));
    packages.set(specifier, found);
  }
  return found;
}

function appOf(specifier) {
  const app = APP.exec(specifier)?.[1];
  return app === undefined ? {} : { default: { type: "app", app, propDefinitions: standIn(), methods: {} } };
}

function standIn(known = []) {
  const values = new Map(known);
  function target() {}
  const itself = new Proxy(target, {
    get(_, key) {
      if (values.has(key)) return values.get(key);
      const value = ownValue(key);
      values.set(key, value);
      return value;
    },
    set(_, key, value) {
      values.set(key, value);
      return true;
    },
    has: () => true,
    deleteProperty: (_, key) => values.delete(key) || true,
    defineProperty: (_, key, { value }) => values.set(key, value) && true,
    apply: () => standIn(),
    // What extends it makes an object of its own class.
    construct: (_, args, made) => (made === itself ? standIn() : Reflect.construct(target, args, made)),
  });
  made.add(itself);
  return itself;

  function ownValue(key) {
    switch (key) {
      case "prototype":
        return target.prototype;
      case "default":
        return itself;
      case "__esModule":
        return true;
      // Waiting for it must not wait for ever.
      case "then":
      case Symbol.asyncIterator:
      case Symbol.toStringTag:
      case Symbol.hasInstance:
      case Symbol.isConcatSpreadable:
      case Symbol.species:
        return undefined;
      case "toJSON":
        return () => undefined;
      case "toString":
      case "valueOf":
        return () => "";
      case Symbol.toPrimitive:
        return (hint) => (hint === "number" ? 0 : "");
      case Symbol.iterator:
        return () => [].values();
      default:
        return standIn();
    }
  }
}
