// The shape of a component, and its props with the fields that they inherit from apps.

import { isStandIn } from "./stand_ins.mjs";

/** The shape of a component: everything except its functions. */
export function shapeOf(component) {
  const { name, key, version, description, type, dedupe, props, hooks, run, additionalProps } = component;
  const { rows, warnings } = describeProps(props);
  return {
    name: plain(name),
    key: plain(key),
    version: plain(version),
    description: plain(description),
    type: plain(type),
    dedupe: plain(dedupe),
    props: rows,
    hooks: Object.entries(isObject(hooks) ? hooks : {})
      .filter(([, hook]) => typeof hook === "function")
      .map(([hook]) => hook),
    hasRun: typeof run === "function",
    hasAdditionalProps: typeof additionalProps === "function",
    warnings,
  };
}

/** The rows of declared props, in their order, and warnings for their author. */
export function describeProps(props) {
  const warnings = [];
  const rows = Object.entries(isObject(props) ? props : {}).map(([name, declared]) => {
    const { definition } = resolveProp(declared, (text) => warnings.push(`prop ${name}: ${text}`));
    return { name, def: describeDefinition(definition) };
  });
  return { rows, warnings };
}

/**
 * A declared prop with the fields that it inherits through `propDefinition`. Its own fields win in `definition`. `owner` is
 * the app whose `options` it inherits, if any. `inputs` are the third elements of the references that led there, the last
 * one first.
 */
export function resolveProp(declared, warn = () => {}, seen = new Set()) {
  if (!isObject(declared) || declared.propDefinition === undefined) {
    return { definition: declared, owner: undefined, inputs: [] };
  }
  seen.add(declared);
  const { propDefinition, ...own } = declared;
  const [app, name, input] = Array.isArray(propDefinition) ? propDefinition : [];
  const inherited = app?.propDefinitions?.[name];
  if (isStandIn(inherited)) return { definition: { type: "any", ...own }, owner: undefined, inputs: [] };
  if (!isDeclaration(inherited) || seen.has(inherited)) {
    warn(seen.has(inherited) ? "its propDefinition leads back to itself" : nothingNamed(app, name));
    return { definition: { type: "any", ...own }, owner: undefined, inputs: [] };
  }
  const base = resolveProp(inherited, warn, seen);
  return {
    definition: { ...asObject(base.definition), ...own },
    owner: own.options === undefined ? (base.owner ?? app) : undefined,
    inputs: input === undefined ? base.inputs : [...base.inputs, input],
  };
}

/** A definition in the long form: a string is a type. */
export function asObject(definition) {
  return typeof definition === "string" ? { type: definition } : definition;
}

/** A definition as JSON. A function becomes `{"$function": true}`, and stand-ins for packages are left out. */
export function describeDefinition(definition) {
  if (isStandIn(definition)) return { type: "any" };
  if (!isObject(definition)) return plain(definition);
  const row = {};
  for (const [field, value] of Object.entries(definition)) {
    if (field === "methods" || field === "propDefinitions" || isStandIn(value)) continue;
    const described = typeof value === "function" ? { $function: true } : plain(value);
    if (described !== null) row[field] = described;
  }
  return row;
}

export function isObject(value) {
  return typeof value === "object" && value !== null;
}

function isDeclaration(value) {
  return typeof value === "string" || isObject(value);
}

function nothingNamed(app, name) {
  if (!isObject(app)) return "its propDefinition names no app";
  return `its propDefinition names "${String(name)}", which the app ${String(app.app)} does not define`;
}

// Values without a JSON form count as absent.
function plain(value) {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
