// Writes the API reference as Markdown, from openapi.json: a page for each tag, a page with the schemas, and the list of
// operations that api/index.md includes. As Markdown it is in the search, needs no script, and follows the content security policy.
// Viewers of OpenAPI documents load one to three megabytes of scripts and set inline styles.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const INTRODUCTION = "index.md";
const SCHEMAS = "schemas";
const REFERENCE = "#/components/schemas/";
/** Names of schemas around another one. They have no section of their own. */
const WRAPPER = /^(?:Data|List)_/;
/** Every operation has these responses. */
const COMMON_ERROR = /^[45]/;
const JSON_TYPE = "application/json";
/** The first sentence of some descriptions, which only names the operation. */
const BODY_OF = /^Body of [^.]*\.\s*/;

/** Writes the pages and returns their names within the folder of the documentation. */
export function writeApiPages(folder) {
  const api = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  const operations = operationsOf(api);
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  const target = join(folder, "api");
  const write = (name, text) => writeFileSync(join(target, name), text);
  mkdirSync(target, { recursive: true });
  const old = readdirSync(target).filter((name) => name !== INTRODUCTION);
  for (const name of old) rmSync(join(target, name));
  for (const tag of tags) {
    const own = operations.filter((operation) => operation.tag === tag);
    write(
      `${pageOf(tag)}.md`,
      page(
        sentence(tag),
        own.map((operation) => operationSection(api, operation)),
      ),
    );
  }
  const schemas = Object.keys(api.components.schemas).filter((name) => !WRAPPER.test(name));
  write(
    `${SCHEMAS}.md`,
    page(
      "Schemas",
      schemas.sort().map((name) => schemaSection(api, name)),
      "outline: 2\n",
    ),
  );
  write("operations.inc", tags.map((tag) => summary(tag, operations)).join("\n"));
  write("errors.inc", errorTable(operations));
  return [...tags.map(pageOf), SCHEMAS].map((name) => `api/${name}.md`);
}

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase(), tag: operation.tags[0] })),
  );

const pageOf = (tag) => tag.replaceAll(" ", "-");
const anchorOf = (name) => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const page = (title, sections, frontMatter = "") =>
  `---\n${frontMatter}editLink: false\n---\n\n# ${title}\n\n${sections.join("\n")}`;

function summary(tag, operations) {
  const rows = operations
    .filter((operation) => operation.tag === tag)
    .map(({ method, path, summary, operationId }) => [
      badge(method),
      `[\`${path}\`](${pageOf(tag)}.md#${anchorOf(operationId)})`,
      inCell(summary),
    ]);
  return `### ${sentence(tag)}\n\n${table(["method", "path", "operation"], rows)}`;
}

const badge = (method) => `<span class="method ${method.toLowerCase()}">${method}</span>`;

function errorTable(operations) {
  const errors = new Map();
  for (const { responses } of operations) {
    for (const [code, { description }] of Object.entries(responses)) {
      if (COMMON_ERROR.test(code)) errors.set(code, description);
    }
  }
  return table(
    ["status", "meaning"],
    [...errors].sort().map(([code, description]) => [code, inCell(description)]),
  );
}

function operationSection(
  api,
  { method, path, summary, description, operationId, parameters = [], requestBody, responses },
) {
  return [
    `## ${inText(summary)} {#${anchorOf(operationId)}}\n`,
    `<p class="operation">${badge(method)} <code v-pre>${path}</code></p>\n`,
    ...(description ? [`${inText(description)}\n`] : []),
    ...(parameters.length > 0 ? [parameterTable(parameters)] : []),
    ...contents(requestBody).map(([type, schema]) => bodyText(api, type, schema)),
    ...Object.entries(responses)
      .filter(([code]) => !COMMON_ERROR.test(code))
      .map(([code, response]) => responseText(code, response)),
  ].join("\n");
}

const contents = (part) => Object.entries(part?.content ?? {}).map(([type, { schema }]) => [type, schema]);

const parameterTable = (parameters) =>
  table(
    ["parameter", "in", "type", "description"],
    parameters.map(({ name, in: place, required, schema, description }) => [
      `\`${name}\`${required && place !== "path" ? " (required)" : ""}`,
      place,
      typeOf(schema),
      describe({ ...schema, description }),
    ]),
  );

function bodyText(api, type, schema) {
  const resolved = resolve(api, schema);
  const description = inText((resolved.description ?? "").replace(BODY_OF, ""));
  const line =
    `**Body**${otherType(type)}${schema.$ref ? `: ${referenceTo(nameOf(schema.$ref))}` : ""}. ${description}`.trim();
  return `${line}\n\n${resolved.properties ? propertyTable(resolved) : ""}`;
}

const otherType = (type) => (type === JSON_TYPE ? "" : `, \`${type}\``);

function responseText(code, response) {
  const parts = contents(response).map(([type, schema]) => {
    return `**Response ${code}**${otherType(type)}${schema ? `: ${typeOf(schema)}` : ""}`;
  });
  const text = response.description ? ` ${inText(response.description)}.` : "";
  return `${(parts.length > 0 ? parts : [`**Response ${code}**`]).map((part) => `${part}.${text}`).join("\n\n")}\n`;
}

function schemaSection(api, name) {
  const schema = api.components.schemas[name];
  return `## ${name} {#${anchorOf(name)}}\n\n${schemaText(schema)}`;
}

function schemaText(schema) {
  const description = schema.description ? `${inText(schema.description)}\n\n` : "";
  const variants = schema.oneOf ?? schema.allOf;
  if (variants) {
    const label = schema.oneOf ? "One of:" : "All fields of:";
    return `${description}${label}\n\n${variants.map((variant) => variantText(variant)).join("\n")}`;
  }
  if (schema.properties) return `${description}${propertyTable(schema)}`;
  return `${description}Type: ${typeOf(schema)}\n`;
}

/** A variant with fields of its own is a table, others are an item of a list. */
const variantText = (variant) =>
  variant.properties
    ? `\n${variant.description ? `${inText(variant.description)}\n\n` : ""}${propertyTable(variant)}`
    : `- ${typeOf(variant)}\n`;

const propertyTable = ({ properties, required = [] }) =>
  table(
    ["field", "type", "description"],
    Object.entries(properties).map(([name, property]) => [
      `\`${name}\`${required.includes(name) ? "" : "?"}`,
      typeOf(property),
      describe(property),
    ]),
  );

const resolve = (api, schema) => (schema.$ref ? api.components.schemas[nameOf(schema.$ref)] : schema);
const nameOf = (reference) => reference.slice(REFERENCE.length);

/** The type in a few words, with links to schemas. */
function typeOf(schema = {}) {
  if (schema.$ref) return referenceTo(nameOf(schema.$ref));
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  const variants = schema.oneOf ?? schema.allOf;
  if (variants) return variants.map(typeOf).join(schema.oneOf ? " or " : " and ");
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => namedType(type, schema)).join(" or ");
}

function namedType(type, { items, additionalProperties, properties }) {
  if (type === "array") return `array of ${items ? typeOf(items) : "any"}`;
  if (type === "object" && additionalProperties) return `object of ${typeOf(additionalProperties)}`;
  if (type === "object" && properties)
    return `object with ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  return type;
}

function referenceTo(name) {
  const inner = name.replace(WRAPPER, "");
  if (name.startsWith("List_")) return `a page, \`{ page_info, data }\`, of ${linkTo(inner)}`;
  if (inner.startsWith("Vec_")) return `\`{ data }\`, array of ${linkTo(inner.slice("Vec_".length))}`;
  if (name.startsWith("Data_")) return `\`{ data }\`, ${linkTo(inner)}`;
  return linkTo(name);
}

const linkTo = (name) => `[${name}](${SCHEMAS}.md#${anchorOf(name)})`;

/** The description with limits, default and example. */
function describe(schema = {}) {
  const nested = (schema.oneOf ?? []).find((variant) => variant.description)?.description;
  const facts = [
    schema.minimum !== undefined && schema.minimum !== 0 && `At least ${schema.minimum}.`,
    schema.maximum !== undefined && `At most ${schema.maximum}.`,
    schema.default !== undefined &&
      !/^Default/m.test(schema.description ?? "") &&
      `Default: \`${JSON.stringify(schema.default)}\`.`,
    schema.example !== undefined && `Example: \`${JSON.stringify(schema.example)}\`.`,
  ];
  return inCell([schema.description ?? nested, ...facts].filter(Boolean).join(" "));
}

/** Text outside code is no HTML. */
const inText = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("*", "\\*")))
    .join("");

const inCell = (text) =>
  inText(text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ");

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .concat("\n");
