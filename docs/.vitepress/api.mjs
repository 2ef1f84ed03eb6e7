// Writes the API reference as Markdown, from openapi.json: a page for each tag, a page with the schemas, and the list of
// operations that api/index.md includes. As Markdown it is in the search, needs no script, and follows the content security policy.
// Viewers of OpenAPI documents load one to three megabytes of scripts and set inline styles.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleOf, inLines, requestWithCurl } from "./api-examples.mjs";

const INTRODUCTION = "index.md";
const SCHEMAS = "schemas";
const REFERENCE = "#/components/schemas/";
/** Names of schemas around another one, by the prefix of their text. They have no section of their own. */
const WRAPPERS = [
  ["Response", "`{ data }`, "],
  ["List", "`{ data }`, array of "],
  ["Page", "`{ page_info, data }`, array of "],
];
const WRAPPER_FIELDS = ["data", "page_info"];
/** Every operation has these responses. */
const COMMON_ERROR = /^[45]/;
const JSON_TYPE = "application/json";
/** The role of operations that refuse named keys. */
const MAIN_KEY = "main_key";
/** The first sentence of some descriptions, which only names the operation. */
const BODY_OF = /^Body of [^.]*\.\s*/;

/** Writes the pages and returns their names within the folder of the documentation. */
export function writeApiPages(folder) {
  const api = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  const operations = operationsOf(api);
  const tags = api.tags.map(({ name }) => name).sort();
  const target = join(folder, "api");
  const write = (name, text) => writeFileSync(join(target, name), text);
  mkdirSync(target, { recursive: true });
  const old = readdirSync(target).filter((name) => name !== INTRODUCTION);
  for (const name of old) rmSync(join(target, name));
  for (const tag of tags) {
    const own = operations.filter((operation) => operation.tag === tag);
    write(
      `${pageOf(tag)}.md`,
      page(sentence(tag), [
        `${inText(api.tags.find(({ name }) => name === tag).description)}\n`,
        ...own.map((operation) => operationSection(api, operation)),
      ]),
    );
  }
  const schemas = Object.keys(api.components.schemas).filter((name) => !isWrapper(api, name));
  write(
    `${SCHEMAS}.md`,
    page(
      "Schemas",
      schemas.sort().map((name) => schemaSection(api, name)),
      "outline: 2\n",
    ),
  );
  write("operations.inc", tags.map((tag) => summary(tag, operations)).join("\n"));
  write("errors.inc", errorTable(api, operations));
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

function errorTable(api, operations) {
  const errors = new Map();
  for (const { responses } of operations) {
    for (const [code, response] of Object.entries(responses)) {
      if (COMMON_ERROR.test(code)) errors.set(code, resolve(api, response).description);
    }
  }
  return table(
    ["status", "meaning"],
    [...errors].sort().map(([code, description]) => [code, inCell(description)]),
  );
}

function operationSection(api, operation) {
  const { method, path, summary, description, operationId, parameters = [], requestBody, responses } = operation;
  const successes = Object.entries(responses).filter(([code]) => !COMMON_ERROR.test(code));
  return [
    `## ${inText(summary)} {#${anchorOf(operationId)}}\n`,
    `<p class="operation">${badge(method)} <code v-pre>${path}</code></p>\n`,
    `Operation \`${operationId}\`. ${keyText(operation.security)}\n`,
    ...(description ? [`${inText(description)}\n`] : []),
    ...(parameters.length > 0 ? [parameterTable(api, parameters)] : []),
    ...contents(requestBody).map(([type, schema]) => bodyText(api, type, schema)),
    ...successes.map(([code, response]) => responseText(api, code, response)),
    exampleText(api, operation, successes),
  ].join("\n");
}

/** The key that an operation needs. */
function keyText([requirement]) {
  if (requirement === undefined) return "Needs no API key.";
  const [roles] = Object.values(requirement);
  if (roles.length === 0) return "A named key needs no scope.";
  if (roles.includes(MAIN_KEY)) return "Needs the main key or a session: named keys are refused.";
  const names = roles.map((role) => `\`${role}\``);
  return `A named key needs the scope${names.length > 1 ? "s" : ""} ${names.join(", ")}.`;
}

/** JSON is not coloured: the elements for colours would be half a megabyte of the site. */
function exampleText(api, operation, [[, response]]) {
  const body = response.content?.[JSON_TYPE]?.schema;
  return [
    "::: details Example",
    fenced("sh", requestWithCurl(api, operation)),
    ...(body ? [fenced("txt", inLines(exampleOf(api, body)))] : []),
    ":::\n",
  ].join("\n");
}

const fenced = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

const contents = (part) => Object.entries(part?.content ?? {}).map(([type, { schema }]) => [type, schema]);

const parameterTable = (api, parameters) =>
  table(
    ["parameter", "in", "type", "description"],
    parameters.map(({ name, in: place, required, schema, description }) => [
      `\`${name}\`${required && place !== "path" ? " (required)" : ""}`,
      place,
      typeOf(api, schema),
      describe({ ...schema, description }),
    ]),
  );

function bodyText(api, type, schema) {
  const resolved = resolve(api, schema);
  const description = inText((resolved.description ?? "").replace(BODY_OF, ""));
  const line =
    `**Body**${otherType(type)}${schema.$ref ? `: ${referenceTo(api, nameOf(schema.$ref))}` : ""}. ${description}`.trim();
  return `${line}\n\n${resolved.properties ? propertyTable(api, resolved) : ""}`;
}

const otherType = (type) => (type === JSON_TYPE ? "" : `, \`${type}\``);

function responseText(api, code, response) {
  const meaning = response.description ? ` ${inText(response.description)}.` : "";
  const parts = contents(response).map(
    ([type, schema]) =>
      `**Response ${code}**${otherType(type)}:${meaning}${schema ? ` ${sentence(typeOf(api, schema))}.` : ""}`,
  );
  return `${(parts.length > 0 ? parts : [`**Response ${code}**:${meaning}`]).join("\n\n")}\n`;
}

function schemaSection(api, name) {
  const schema = api.components.schemas[name];
  return `## ${name} {#${anchorOf(name)}}\n\n${schemaText(api, schema)}`;
}

function schemaText(api, schema) {
  const description = schema.description ? `${inText(schema.description)}\n\n` : "";
  const variants = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (variants) {
    const label = schema.allOf ? "All fields of:" : "One of:";
    return `${description}${label}\n\n${variants.map((variant) => variantText(api, variant)).join("\n")}`;
  }
  if (schema.properties) return `${description}${propertyTable(api, schema)}`;
  return `${description}Type: ${typeOf(api, schema)}\n`;
}

/** A variant with fields of its own is a table, others are an item of a list. */
const variantText = (api, variant) =>
  variant.properties
    ? `\n${variant.description ? `${inText(variant.description)}\n\n` : ""}${propertyTable(api, variant)}`
    : `- ${typeOf(api, variant)}\n`;

const propertyTable = (api, { properties, required = [] }) =>
  table(
    ["field", "type", "description"],
    Object.entries(properties).map(([name, property]) => [
      `\`${name}\`${required.includes(name) ? "" : "?"}`,
      typeOf(api, property),
      describe(property),
    ]),
  );

/** What a reference within the document leads to. */
const resolve = (api, value) =>
  value.$ref
    ? value.$ref
        .split("/")
        .slice(1)
        .reduce((inner, key) => inner[key], api)
    : value;
const nameOf = (reference) => reference.slice(REFERENCE.length);

function isWrapper(api, name) {
  const fields = Object.keys(api.components.schemas[name].properties ?? {});
  return fields.includes("data") && fields.every((field) => WRAPPER_FIELDS.includes(field));
}

/** The type in a few words, with links to schemas. */
function typeOf(api, schema = {}) {
  if (schema.$ref) return referenceTo(api, nameOf(schema.$ref));
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  const variants = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (variants) return variants.map((variant) => typeOf(api, variant)).join(schema.allOf ? " and " : " or ");
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => namedType(api, type, schema)).join(" or ");
}

function namedType(api, type, { items, additionalProperties, properties }) {
  if (type === "array") return `array of ${items ? typeOf(api, items) : "any"}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `object of ${typeOf(api, additionalProperties)}`;
  if (type === "object" && properties)
    return `object with ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  return type;
}

/** A link to a schema. Of a wrapper, its form and a link to the schema inside. */
function referenceTo(api, name) {
  if (!isWrapper(api, name)) return linkTo(name);
  const [suffix, form] = WRAPPERS.find(([ending]) => name.endsWith(ending));
  return `${form}${linkTo(name.slice(0, -suffix.length))}`;
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
