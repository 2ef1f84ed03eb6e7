// Examples of the API reference, made from the schemas: a request with curl, and the body of its response.

/** Values of fields whose schema has no example. The first pattern that matches the name of the field is used. */
const BY_NAME = [
  [/(^|_)ms$|^(indexed|due|last_tick|next_run|next_attempt)_at/, 1700000000000],
  [/_at$|_ts$|^ts$/, 1700000000],
  [/_(url|uri)$|^url$/, "https://example.com/hook"],
  [/^email$|^mail_/, "ada@example.com"],
  [/^username$/, "ada"],
  [/^version$/, "0.1.0"],
  [/^name_slug$|^slug$/, "orders"],
  [/^name$/, "orders"],
  [/^event_name$/, ""],
  [/_cursor$/, "MTcwMDAwMDAwMDAwMHxkY19LMHVBZWU"],
  [/^emitter_id$|^source_id$/, "dc_K0uAee"],
  [/^listener_id$|^webhook_id$/, "wh_abc123"],
  [/^component_id$/, "sc_JDi8EB"],
  [/^app$/, "github"],
  [/^api_key$/, "0123456789abcdef0123456789abcdef"],
  [/^event$|^e$/, { order: "A-1" }],
];
const BY_TYPE = { string: "text", integer: 1, number: 1, boolean: true, object: {}, null: null };

/** The longest line of JSON. */
const LINE = 80;

/** A value that fits a schema. Fields that a response may lack, and those that a request need not have, are left out. */
export function exampleOf(api, schema = {}, name = "", seen = []) {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref) {
    if (seen.includes(schema.$ref)) return {};
    const target = api.components.schemas[schema.$ref.split("/").at(-1)];
    return exampleOf(api, target, name, [...seen, schema.$ref]);
  }
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const inner = (part, own = name) => exampleOf(api, part, own, seen);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => inner(part)));
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return inner(variants[0]);
  const [type, ...others] = [schema.type].flat();
  if (others.includes("null")) return valueFor(type, name, null);
  if (type === "array") return [inner(schema.items)];
  if (schema.properties) {
    const required = Object.entries(schema.properties).filter(([field]) => schema.required?.includes(field));
    return Object.fromEntries(required.map(([field, part]) => [field, inner(part, field)]));
  }
  return valueFor(type, name);
}

/** The value of a field, or of its type if its name says nothing. */
function valueFor(type, name, otherwise = BY_TYPE[type] ?? {}) {
  const known = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  const fits = type === undefined || typeof known === (type === "integer" ? "number" : type);
  return known !== undefined && fits ? known : otherwise;
}

/** JSON with what fits into a line on one line. */
export function inLines(value, indent = "") {
  const short = JSON.stringify(value);
  if (indent.length + short.length <= LINE || typeof value !== "object" || value === null) return spaced(short);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => inLines(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inLines(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** Spaces after commas and colons that are not part of a text. */
const spaced = (json) => json.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.length === 1 ? `${part} ` : part));

/** The request of an operation. */
export function requestWithCurl(api, { method, path, parameters = [], requestBody, security }) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"$SLUICE_URL${filled(path, parameters)}"`];
  if (security.length > 0) lines.push(`-H "Authorization: Bearer $SLUICE_API_KEY"`);
  const headers = parameters.filter((parameter) => parameter.in === "header" && parameter.required);
  lines.push(...headers.map((parameter) => `-H "${parameter.name}: ${parameter.example}"`));
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === "application/json") {
    lines.push(`--json '${JSON.stringify(exampleOf(api, content.schema)).replaceAll("'", "'\\''")}'`);
  } else if (type !== undefined) lines.push(`-H "Content-Type: ${type}" --data-binary @file`);
  return lines.join(" \\\n  ");
}

/** The path with examples of its segments and of the parameters that are required. */
function filled(path, parameters) {
  const example = ({ name, example, schema }) => encodeURIComponent(example ?? valueFor([schema.type].flat()[0], name));
  const segments = parameters.filter((parameter) => parameter.in === "path");
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const address = segments.reduce((text, segment) => text.replace(`{${segment.name}}`, example(segment)), path);
  const pairs = query.map((parameter) => `${parameter.name}=${example(parameter)}`);
  return `${address.replaceAll("$", "\\$")}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}
