// As much of JSON Schema as the schema of workflow documents uses.

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

/** Where something is in a document: the names of fields, and `[]` for an item of a list. */
export type Path = string[];
export const ITEM = '[]';

/** The schema behind a reference; what stands beside the reference counts more. */
export function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const target = name === undefined ? undefined : root.$defs?.[name];
  if (!target) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolve(root, target), ...beside };
}

/** What may stand at a path; undefined where anything may. */
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

/** A schema and its alternatives: those of them that describe a value of their own. */
export function shapes(root: Schema, schema: Schema): Schema[] {
  const alternatives = (schema.oneOf ?? []).map((one) => resolve(root, one)).filter(({ type }) => type !== undefined);
  return [schema, ...alternatives];
}

export function types(schema: Schema): string[] {
  return schema.type === undefined ? [] : [schema.type].flat();
}

/** The fields that may stand at a path, with what they mean. */
export function fieldsAt(root: Schema, path: Path): [string, Schema][] {
  const here = schemaAt(root, path);
  if (!here) return [];
  const fields = shapes(root, here).flatMap(({ properties = {} }) => Object.entries(properties));
  return fields.map(([name, field]) => [name, resolve(root, field)]);
}

/** Values that are worth offering: those that are allowed, the default and the examples, as they are written. */
export function valuesOf(schema: Schema): string[] {
  const known = [
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(types(schema).includes('boolean') ? [true, false] : []),
    ...(schema.default === undefined ? [] : [schema.default]),
    ...(schema.examples ?? []),
  ];
  const scalars = known.filter((value) => typeof value !== 'object' && !String(value).includes('\n'));
  return [...new Set(scalars.map(written))];
}

function written(value: unknown): string {
  const text = String(value);
  // A star begins an alias in YAML, and other marks mean something too.
  return typeof value === 'string' && /^[*&!|>%@`{[#]|: |^$/.test(text) ? JSON.stringify(text) : text;
}
