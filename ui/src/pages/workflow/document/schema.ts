// The subset of JSON Schema that the schema of workflow documents uses.

export type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxProperties?: number;
  maxLength?: number;
  pattern?: string;
  default?: unknown;
  examples?: unknown[];
};

/** A path in a document: field names, and `[]` for an item of a list. */
export type Path = string[];
export const ITEM = '[]';

/** Resolves a reference. Keywords beside the reference take precedence. */
export function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const target = name === undefined ? undefined : root.$defs?.[name];
  if (!target) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolve(root, target), ...beside };
}

/** The schema at a path; undefined if any value is allowed. */
export function schemaAt(root: Schema, path: Path): Schema | undefined {
  let here: Schema | undefined = root;
  for (const part of path) {
    if (!here) return undefined;
    here = child(root, here, part);
  }
  return here;
}

function child(root: Schema, schema: Schema, part: string): Schema | undefined {
  for (const shape of shapes(root, schema)) {
    const found =
      part === ITEM
        ? shape.items
        : (shape.properties?.[part] ??
          (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined));
    if (found) return resolve(root, found);
  }
  return undefined;
}

/** A schema and its alternatives with a type. */
export function shapes(root: Schema, schema: Schema): Schema[] {
  const alternatives = (schema.oneOf ?? []).map((one) => resolve(root, one)).filter(({ type }) => type !== undefined);
  return [schema, ...alternatives];
}

export function types(schema: Schema): string[] {
  return schema.type === undefined ? [] : [schema.type].flat();
}

/** The fields that are allowed at a path. */
export function fieldsAt(root: Schema, path: Path): [string, Schema][] {
  const here = schemaAt(root, path);
  if (!here) return [];
  const fields = shapes(root, here).flatMap(({ properties = {} }) => Object.entries(properties));
  return fields.map(([name, field]) => [name, resolve(root, field)]);
}

/** Suggested values: constants, the default and examples, as YAML. */
export function valuesOf(schema: Schema): string[] {
  const values = [
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(types(schema).includes('boolean') ? [true, false] : []),
    ...(schema.default === undefined ? [] : [schema.default]),
    ...(schema.examples ?? []),
  ];
  const scalars = values.filter((value) => typeof value !== 'object' && !String(value).includes('\n'));
  return [...new Set(scalars.map(toYaml))];
}

function toYaml(value: unknown): string {
  const text = String(value);
  // Characters with a meaning in YAML require quotes.
  return typeof value === 'string' && /^[*&!|>%@`{[#]|: |^$/.test(text) ? JSON.stringify(text) : text;
}
