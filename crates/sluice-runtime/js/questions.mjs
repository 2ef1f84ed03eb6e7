// Questions of a form to a component: the options of a prop, and the props that depend on other values.
//
// `asked` has the component, its instance `self`, and `names`, the props that have a value.

import { appInstance } from "./instance.mjs";
import { asObject, describeDefinition, describeProps, isObject, resolveProp } from "./shape.mjs";

/** `{value}` with the result of the options method of a prop; `{}` if it has none. */
export async function options(asked, { prop, previous, page, prevContext, query }) {
  let found = resolveProp(asked.component.props?.[prop]);
  if (!hasOptions(found) && hasAdditionalProps(asked.component)) {
    const declared = (await declareProps(asked, previous))[prop];
    if (declared !== undefined) found = resolveProp(declared);
  }
  const { definition, owner, inputs } = found;
  if (!hasOptions(found)) return definition?.type === "sql" ? schemaOf(asked, definition) : {};
  const argument = { page, prevContext };
  if (query !== undefined) argument.query = query;
  const configured = Object.fromEntries(asked.names.map((name) => [name, asked.self[name]]));
  for (const input of inputs) {
    Object.assign(argument, typeof input === "function" ? await input.call(asked.self, configured) : input);
  }
  const self = owner === undefined ? asked.self : instanceOf(owner, asked);
  return { value: (await definition.options.call(self, argument)) ?? null };
}

/** `{props, warnings}` with the result of `additionalProps`; `{}` if the component has none. */
export async function additionalProps(asked, { previous }) {
  if (!hasAdditionalProps(asked.component)) return {};
  const { rows, warnings } = describeProps(await declareProps(asked, previous));
  return { props: rows, warnings };
}

// The component gets its earlier definitions and may change them, return them, or do both. The definitions in its code are
// restored each time, so that earlier changes do not add up.
async function declareProps({ component, self }, previousRows) {
  const previous = Object.fromEntries(previousRows.map(({ name, ...row }) => [name, row]));
  const own = new Map();
  for (const [name, declared] of Object.entries(isObject(component.props) ? component.props : {})) {
    previous[name] = { ...asObject(resolveProp(declared).definition) };
    own.set(name, textOf(previous[name]));
  }
  const returned = await component.additionalProps.call(self, previous);
  const result = isObject(returned) ? { ...returned } : {};
  for (const [name, text] of own) {
    const definition = Object.hasOwn(result, name) ? result[name] : previous[name];
    if (definition === undefined || textOf(definition) === text) delete result[name];
    else result[name] = definition;
  }
  return result;
}

function hasOptions({ definition }) {
  return typeof definition?.options === "function";
}

function hasAdditionalProps(component) {
  return typeof component.additionalProps === "function";
}

function textOf(definition) {
  return JSON.stringify(describeDefinition(definition));
}

// The tables of a database, which a form shows beside a query. The app of the database describes them.
async function schemaOf(asked, { auth }) {
  const app = instanceOf({ app: auth?.app }, asked);
  if (typeof app.getSchema !== "function") return {};
  return { value: { options: [], context: { dbInfo: await app.getSchema() } } };
}

// The app prop of the component, with its account: by identity, or else by name, because it may be a copy.
function instanceOf(app, { component, self }) {
  const apps = Object.entries(component.props ?? {});
  const [name] =
    apps.find(([, declared]) => declared === app) ??
    apps.find(([, declared]) => declared?.type === "app" && declared.app === app.app) ??
    [];
  return (name === undefined ? undefined : self[name]) ?? appInstance(app, undefined);
}
