// `this` of a component: a new plain object for each invocation, with props, bound methods and $emit.

import { dataStore } from "./data_store.mjs";
import { httpRequest } from "./http_request.mjs";
import { storeKey } from "./keys.mjs";
import { isObject } from "./shape.mjs";
import { parse, stringify } from "./wire.mjs";

const stashFolder = Deno.env.get("STASH_DIR");

/** Prepares what every instance shares; the result makes one instance for one invocation. */
export function instanceMaker(component, props) {
  const methods = functionsOf(component.methods);
  return (invocation) => {
    const self = {};
    for (const { name, kind, value } of props) {
      self[name] = propValue(kind, name, value, component.props?.[name], invocation);
    }
    bindAll(self, methods);
    self.$emit = (event, meta) => {
      invocation.emit(event, meta);
      return Promise.resolve();
    };
    addExport(self);
    return self;
  };
}

/** Sets `$auth` of app props; invocations that have begun keep what they saw. */
export function authorize(props, auths) {
  for (const prop of props) {
    if (Object.hasOwn(auths, prop.name)) prop.value = { ...prop.value, $auth: auths[prop.name] };
  }
}

function propValue(kind, name, value, definition, invocation) {
  switch (kind) {
    case "http":
      return { ...value, respond: (reply) => respond(invocation, reply) };
    case "db":
      return keyValueStore(invocation);
    case "app":
      return appInstance(definition, value);
    case "data_store":
      return dataStore(name, invocation);
    case "dir":
      return { path: stashFolder, toString: () => stashFolder };
    case "http_request":
      return httpRequest(value);
    default:
      return isObject(value) ? structuredClone(value) : value;
  }
}

function keyValueStore(invocation) {
  return {
    get(key) {
      const stored = invocation.store.get(String(key));
      return stored === undefined ? undefined : parse(stored);
    },
    set(key, value) {
      const name = storeKey(key);
      const json = stringify(value);
      if (invocation.ended) {
        invocation.log(
          "error",
          "error",
          `db.set("${name}") was called after the invocation had ended: nothing was stored`,
        );
        return;
      }
      invocation.store.set(name, json);
      invocation.wrote(name, json);
    },
  };
}

/** An app as a component holds it: its methods, and the credentials of its account. */
export function appInstance(definition, value) {
  const self = { $auth: isObject(value?.$auth) ? structuredClone(value.$auth) : {} };
  bindAll(self, functionsOf(definition?.methods));
  addExport(self);
  return self;
}

// Code that is shared with actions takes `this` for the `$` they have, and may call its `export`: here that is a line in
// the log. It stays out of sight, and gives way to a name of the component's own.
function addExport(self) {
  if (Object.hasOwn(self, "export")) return;
  const value = (name, exported) => console.log("export:", name, exported);
  Object.defineProperty(self, "export", { value, writable: true, configurable: true });
}

function functionsOf(object) {
  return Object.entries(isObject(object) ? object : {}).filter(([, value]) => typeof value === "function");
}

function bindAll(self, methods) {
  for (const [name, method] of methods) self[name] = method.bind(self);
}

// The first answer wins; without customResponse nobody waits for it and it has no effect.
function respond(invocation, reply) {
  const { status, statusCode, headers, body } = reply ?? {};
  const code = Number(status ?? statusCode);
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new TypeError(`respond needs a status from 100 to 599, not ${status ?? statusCode}`);
  }
  const rows = headerRows(headers);
  const fields = [`"s":${code}`];
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    fields.push(`"x":"${toBase64(body)}"`);
  } else if (typeof body === "string") {
    fields.push(`"b":${stringify(body.toWellFormed())}`);
  } else if (body !== undefined && body !== null) {
    fields.push(`"b":${stringify(stringify(body) ?? "")}`);
    if (!rows.some(([name]) => name.toLowerCase() === "content-type")) {
      rows.push(["content-type", "application/json; charset=utf-8"]);
    }
  }
  fields.push(`"h":${stringify(rows)}`);
  invocation.respond(fields.join(","));
  return Promise.resolve();
}

function headerRows(headers) {
  const rows = [];
  const entries = headers instanceof Headers ? headers : Object.entries(headers ?? {});
  for (const [name, value] of entries) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value])
      rows.push([String(name).toWellFormed(), String(one).toWellFormed()]);
  }
  return rows;
}

function toBase64(body) {
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
  return typeof bytes.toBase64 === "function"
    ? Uint8Array.prototype.toBase64.call(bytes)
    : btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
