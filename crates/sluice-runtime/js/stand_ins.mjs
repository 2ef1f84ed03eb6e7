// Stand-ins for npm packages, for code that is analysed without installing them. Reading, calling, constructing or extending
// a stand-in gives a stand-in again.

import { defineGlobal } from "./globals.mjs";
import { nodeModule } from "./node.mjs";

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

/** Whether a value is a stand-in. */
export function isStandIn(value) {
  return (typeof value === "function" || typeof value === "object") && value !== null && made.has(value);
}

/** Defines the global function that replaces imports. */
export function giveStandIns() {
  defineGlobal("__sluiceStandIn", standInFor);
}

/** Makes `require` return stand-ins. */
export function giveRequired() {
  const { Module, isBuiltin } = nodeModule("module");
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
    // A subclass creates an object of its own class.
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
      // `await` must not wait forever.
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
