// Validates a document against the schema while it is edited. The server validates more on deployment.
import type { Diagnostic } from '@codemirror/lint';
import { resolve, type Schema, shapes, types } from './schema';
import { type Pair, readYaml, type Yaml } from './yaml';

export function check(schema: Schema, text: string): Diagnostic[] {
  if (text.trim() === '') return [];
  const { root, broken } = readYaml(text);
  if (broken) return [diagnostic(broken, 'Invalid YAML.')];
  const diagnostics: Diagnostic[] = [];
  inspect({ root: schema, text, diagnostics }, schema, root);
  return diagnostics;
}

type Check = { root: Schema; text: string; diagnostics: Diagnostic[] };
type Range = { from: number; to: number };

function diagnostic({ from, to }: Range, message: string): Diagnostic {
  return { from, to, severity: 'error', message };
}

function inspect(check: Check, schema: Schema, yaml: Yaml) {
  if (yaml.kind === 'other') return;
  const kind = typeOf(yaml);
  const allowed = shapes(check.root, schema).filter((shape) => types(shape).length > 0);
  const fitting = allowed.find((shape) =>
    types(shape).some((type) => type === kind || (type === 'number' && kind === 'integer')),
  );
  if (allowed.length > 0 && !fitting) {
    check.diagnostics.push(diagnostic(firstLine(check, yaml), `Must be ${list(allowed.flatMap(types).map(article))}.`));
    return;
  }
  const shape = fitting ?? schema;
  if (yaml.kind === 'map') inspectMap(check, shape, yaml);
  else if (yaml.kind === 'list') inspectList(check, shape, yaml);
  else inspectValue(check, shape, yaml);
}

function inspectMap(check: Check, schema: Schema, map: Extract<Yaml, { kind: 'map' }>) {
  const seen = new Set<string>();
  for (const pair of map.pairs) {
    if (seen.has(pair.key)) check.diagnostics.push(diagnostic(pair.keyRange, `Duplicate field ${pair.key}.`));
    seen.add(pair.key);
    inspectPair(check, schema, pair);
  }
  const missing = (schema.required ?? []).filter((name) => !seen.has(name));
  if (missing.length > 0) check.diagnostics.push(diagnostic(firstLine(check, map), `Missing ${list(missing, 'and')}.`));
  const choices = (schema.oneOf ?? []).flatMap(({ type, required }) =>
    type === undefined && required ? [required] : [],
  );
  const matching = choices.filter((names) => names.every((name) => seen.has(name)));
  if (choices.length > 0 && matching.length !== 1)
    check.diagnostics.push(
      diagnostic(firstLine(check, map), `Requires exactly one of ${list(choices.flat(), 'and')}.`),
    );
  if (schema.maxProperties !== undefined && seen.size > schema.maxProperties)
    check.diagnostics.push(
      diagnostic(
        firstLine(check, map),
        `Allows at most ${schema.maxProperties} of ${list(Object.keys(schema.properties ?? {}), 'and')}.`,
      ),
    );
}

function inspectPair(check: Check, schema: Schema, { key, keyRange, value }: Pair) {
  const own = schema.properties?.[key];
  const other = schema.additionalProperties;
  if (own) inspect(check, resolve(check.root, own), value);
  else if (typeof other === 'object') inspect(check, resolve(check.root, other), value);
  else if (other === false) {
    check.diagnostics.push(
      diagnostic(keyRange, `Unknown field ${key}. Allowed are ${list(Object.keys(schema.properties ?? {}), 'and')}.`),
    );
  }
}

function inspectList(check: Check, schema: Schema, yaml: Extract<Yaml, { kind: 'list' }>) {
  if (schema.minItems !== undefined && yaml.items.length < schema.minItems)
    check.diagnostics.push(diagnostic(firstLine(check, yaml), `Requires at least ${schema.minItems}.`));
  if (!schema.items) return;
  for (const item of yaml.items) inspect(check, resolve(check.root, schema.items), item);
}

function inspectValue(check: Check, schema: Schema, yaml: Extract<Yaml, { kind: 'scalar' }>) {
  const { value } = yaml;
  const report = (message: string) => check.diagnostics.push(diagnostic(firstLine(check, yaml), message));
  if (schema.const !== undefined && value !== schema.const) report(`Must be ${String(schema.const)}.`);
  if (typeof value === 'number') {
    if (schema.minimum !== undefined && value < schema.minimum)
      report(`Must be at least ${schema.minimum.toLocaleString()}.`);
    if (schema.maximum !== undefined && value > schema.maximum)
      report(`Must be at most ${schema.maximum.toLocaleString()}.`);
  }
  if (typeof value === 'string') {
    if (schema.maxLength !== undefined && value.length > schema.maxLength)
      report(`Must have at most ${schema.maxLength} characters.`);
    else if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value))
      report(schema.description ?? 'Invalid format.');
  }
}

function typeOf(yaml: Exclude<Yaml, { kind: 'other' }>): string {
  if (yaml.kind === 'map') return 'object';
  if (yaml.kind === 'list') return 'array';
  if (yaml.value === null) return 'null';
  if (typeof yaml.value === 'number') return Number.isInteger(yaml.value) ? 'integer' : 'number';
  return typeof yaml.value;
}

const ARTICLES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};
const article = (type: string) => ARTICLES[type] ?? type;

/** Large values are marked on their first line only. */
function firstLine({ text }: Check, { from, to }: Range): Range {
  const end = text.indexOf('\n', from);
  const line = text.slice(from, end < 0 ? to : Math.min(to, end));
  const start = from + line.length - line.trimStart().length;
  return { from: start, to: start + line.trim().length };
}

function list(message: string[], last = 'or'): string {
  const unique = [...new Set(message)];
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} ${last} ${unique.at(-1)}`;
}
