// Says what a JSON Schema makes of documents, and whether the examples and defaults in it suit it: reads
// `{schema, documents}` on standard input, writes a list of errors for each document and one for the schema itself.
import { text } from "node:stream/consumers";
import { Ajv2020 } from "ajv/dist/2020.js";

const { schema, documents } = JSON.parse(await text(process.stdin));
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
ajv.addSchema(schema, "workflow");

function errors(pointer, value) {
  const validate = ajv.getSchema(`workflow${pointer}`);
  return validate(value) ? [] : validate.errors.map((error) => `${error.instancePath}: ${error.message}`);
}

function* shown(part, pointer) {
  const values = [...(part.examples ?? []), ...("default" in part ? [part.default] : [])];
  for (const value of values) yield* errors(pointer, value).map((error) => `${pointer}${error}`);
  for (const key of ["properties", "$defs"]) {
    for (const [name, inner] of Object.entries(part[key] ?? {})) yield* shown(inner, `${pointer}/${key}/${name}`);
  }
}

process.stdout.write(
  JSON.stringify({
    documents: documents.map((document) => errors("#", document)),
    examples: [...shown(schema, "#")],
  }),
);
