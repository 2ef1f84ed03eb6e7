// `this` of a component: a new plain object for each invocation, with props, bound methods and $emit.

import { dataStore } from "./data_store.mjs";
import { valueMaker } from "./expressions.mjs";
import { httpRequest } from "./http_request.mjs";
import { inputsJson } from "./inputs.mjs";
import { storeKey } from "./keys.mjs";
import { replyFields } from "./reply.mjs";
import { isObject } from "./shape.mjs";
import { parse, stringify } from "./wire.mjs";

const stashFolder = Deno.env.get("STASH_DIR");

/**
 * Prepares the shared parts of all instances. The returned function creates the instance of one invocation. In a workflow,
 * `steps` are the exports of its steps, and `process` is the `process` of expressions. The values of its props are reported
 * as the inputs of the step, with `secrets` masked.
 */
export function instanceMaker(component, props, { inWorkflow, keyPrefix, process, secrets }) {
  const methods = functionsOf(component.methods);
  const makers = new Map();
  for (const { name, template } of props) {
    if (template !== undefined) makers.set(name, valueMaker(name, template));
  }
  return (invocation, steps) => {
    const scope = { event: steps?.trigger?.event, steps, process };
    const given = [];
    try {
      resolve(props, makers, scope, given);
    } finally {
      if (inWorkflow) invocation.inputs(inputsJson(given, secrets));
    }
    const self = {};
    for (const { name, kind, value, made } of given) {
      const definition = component.props?.[name];
      self[name] = propValue({ kind, name, value, made, definition, keyPrefix }, invocation);
    }
    bindAll(self, methods);
    if (inWorkflow) {
      addExport(self, invocation.tools?.export);
      return self;
    }
    self.$emit = (event, meta) => {
      invocation.emit(event, meta);
      return Promise.resolve();
    };
    addExport(self);
    return self;
  };
}

// Adds the values of props to `given`. With an error, those before it are there.
function resolve(props, makers, scope, given) {
  for (const { name, kind, value, secret } of props) {
    const make = makers.get(name);
    const resolved = make === undefined ? value : make(scope);
    if (resolved !== undefined) given.push({ name, kind, secret, value: resolved, made: make !== undefined });
  }
}

/** Sets `$auth` of app props. Running invocations keep the old value. */
export function authorize(props, auths) {
  for (const prop of props) {
    if (Object.hasOwn(auths, prop.name)) prop.value = { ...prop.value, $auth: auths[prop.name] };
  }
}

function propValue({ kind, name, value, made, definition, keyPrefix }, invocation) {
  switch (kind) {
    case "http":
      return { ...value, respond: (reply) => respond(invocation, reply) };
    case "db":
      return keyValueStore(invocation, keyPrefix);
    case "app":
      return appInstance(definition, value);
    case "data_store":
      return dataStore(name, invocation);
    case "dir":
      return { path: stashFolder, toString: () => stashFolder };
    case "http_request":
      return httpRequest(value);
    default:
      return isObject(value) && !made ? structuredClone(value) : value;
  }
}

// Each step of a workflow has its own keys, by their prefix.
function keyValueStore(invocation, prefix) {
  return {
    get(key) {
      const stored = invocation.store.get(prefix + String(key));
      return stored === undefined ? undefined : parse(stored);
    },
    set(key, value) {
      const name = storeKey(prefix + key);
      const json = stringify(value);
      if (invocation.ended) {
        invocation.log(
          "error",
          "error",
          `db.set("${key}") was called after the invocation had ended: nothing was stored`,
        );
        return;
      }
      invocation.store.set(name, json);
      invocation.wrote(name, json);
    },
  };
}

/** An app prop: the methods of the app and the credentials of its account. */
export function appInstance(definition, value) {
  const self = { $auth: isObject(value?.$auth) ? structuredClone(value.$auth) : {} };
  bindAll(self, functionsOf(definition?.methods));
  addExport(self);
  return self;
}

// Code that is shared with actions uses `this` as their `$` and may call its `export`. Here that writes a log line, and in a
// step it calls the one of `$`. It is not enumerable, and an `export` of the component itself wins.
function addExport(self, value = (name, exported) => console.log("export:", name, exported)) {
  if (Object.hasOwn(self, "export")) return;
  Object.defineProperty(self, "export", { value, writable: true, configurable: true });
}

function functionsOf(object) {
  return Object.entries(isObject(object) ? object : {}).filter(([, value]) => typeof value === "function");
}

function bindAll(self, methods) {
  for (const [name, method] of methods) self[name] = method.bind(self);
}

// The first response wins. Without customResponse it has no effect.
function respond(invocation, reply) {
  invocation.respond(replyFields(reply));
  return Promise.resolve();
}
