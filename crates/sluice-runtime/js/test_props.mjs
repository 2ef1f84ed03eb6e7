// Props in a test: each becomes the same value as on a server.

import { describeProps, isObject } from "./shape.mjs";
import { MemoryStore } from "./test_store.mjs";

const ENDPOINT = "http://localhost/e/test";
const HOURLY = { interval_seconds: 3600 };

/** The component with the replacements of the test, the bindings of its props, and its data stores. */
export function bindProps(component, given) {
  const { rows } = describeProps(component.props);
  checkNames(component, rows, given);
  const stores = [];
  const bindings = rows.flatMap(({ name, def }) => {
    const binding = bind(name, typeof def === "string" ? { type: def } : def, given[name]);
    if (binding === undefined) return [];
    if (binding.kind === "data_store") stores.push(new MemoryStore(name, given[name]));
    return [{ name, ...binding }];
  });
  const declared = new Set(rows.map(({ name }) => name));
  for (const [name, value] of Object.entries(given)) {
    if (!declared.has(name)) bindings.push({ name, kind: "value", value });
  }
  return { definition: withMethods(component, bindings, given), bindings, stores };
}

function bind(name, { type, default: fallback, static: fixed, optional }, given) {
  switch (type) {
    case "$.interface.http":
      return { kind: "http", value: { endpoint: ENDPOINT, ...given } };
    case "$.interface.apphook":
      return { kind: "value", value: { endpoint: ENDPOINT, ...given } };
    case "$.interface.timer":
      return { kind: "value", value: { type, ...schedule(fixed ?? given ?? fallback ?? HOURLY) } };
    case "$.service.db":
      return { kind: "db", value: null };
    case "app":
      return { kind: "app", value: { $auth: given?.$auth ?? {} } };
    case "data_store":
      return { kind: "data_store", value: name };
    case "dir":
      return { kind: "dir", value: null };
    case "alert":
      return undefined;
    default: {
      const value = given ?? fallback;
      if (value === undefined && !optional) throw new TypeError(`the prop ${name} is required: give it in props`);
      return value === undefined ? undefined : { kind: type === "http_request" ? type : "value", value };
    }
  }
}

function schedule({ cron = null, intervalSeconds = null, interval_seconds = intervalSeconds, timezone }) {
  return { cron, interval_seconds, ...(timezone && { timezone }) };
}

function checkNames(component, rows, given) {
  if (typeof component.additionalProps === "function") return;
  const known = new Set(rows.map(({ name }) => name));
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is not a prop of this component`);
}

// Functions that a test passes with an app replace the app's methods.
function withMethods(component, bindings, given) {
  const props = { ...component.props };
  for (const { name, kind } of bindings) {
    if (kind !== "app" || !isObject(given[name])) continue;
    const methods = Object.entries(given[name]).filter(([, value]) => typeof value === "function");
    props[name] = { ...props[name], methods: { ...props[name].methods, ...Object.fromEntries(methods) } };
  }
  return { ...component, props };
}
