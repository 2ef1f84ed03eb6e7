// What the schema finds wrong with a document while it is typed. The server has the last word, and more to say.
import type { Diagnostic } from '@codemirror/lint';
import { resolve, type Schema, shapes, types } from './schema';
import { type Pair, readYaml, type Yaml } from './yaml';

export function check(schema: Schema, text: string): Diagnostic[] {
  if (text.trim() === '') return [];
  const { root, broken } = readYaml(text);
  if (broken) return [fault(broken, 'This is not YAML.')];
  const found: Diagnostic[] = [];
  inspect({ root: schema, text, found }, schema, root);
  return found;
}

type Check = { root: Schema; text: string; found: Diagnostic[] };
type Place = { from: number; to: number };

function fault({ from, to }: Place, message: string): Diagnostic {
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
    check.found.push(fault(begin(check, yaml), `Must be ${list(allowed.flatMap(types).map(article))}.`));
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
    if (seen.has(pair.key)) check.found.push(fault(pair.keyPlace, `${pair.key} is there twice.`));
    seen.add(pair.key);
    inspectPair(check, schema, pair);
  }
  const missing = (schema.required ?? []).filter((name) => !seen.has(name));
  if (missing.length > 0) check.found.push(fault(begin(check, map), `Needs ${list(missing, 'and')}.`));
  const choices = (schema.oneOf ?? []).flatMap(({ type, required }) =>
    type === undefined && required ? [required] : [],
  );
  const chosen = choices.filter((names) => names.every((name) => seen.has(name)));
  if (choices.length > 0 && chosen.length !== 1)
    check.found.push(fault(begin(check, map), `Needs one of ${list(choices.flat(), 'and')}.`));
  if (schema.maxProperties !== undefined && seen.size > schema.maxProperties)
    check.found.push(
      fault(
        begin(check, map),
        `Takes ${schema.maxProperties} of ${list(Object.keys(schema.properties ?? {}), 'and')}.`,
      ),
    );
}

function inspectPair(check: Check, schema: Schema, { key, keyPlace, value }: Pair) {
  const own = schema.properties?.[key];
  const other = schema.additionalProperties;
  if (own) inspect(check, resolve(check.root, own), value);
  else if (typeof other === 'object') inspect(check, resolve(check.root, other), value);
  else if (other === false) {
    check.found.push(
      fault(keyPlace, `${key} is not a field here. There are ${list(Object.keys(schema.properties ?? {}), 'and')}.`),
    );
  }
}

function inspectList(check: Check, schema: Schema, yaml: Extract<Yaml, { kind: 'list' }>) {
  if (schema.minItems !== undefined && yaml.items.length < schema.minItems)
    check.found.push(fault(begin(check, yaml), `Needs at least ${schema.minItems}.`));
  if (!schema.items) return;
  for (const item of yaml.items) inspect(check, resolve(check.root, schema.items), item);
}

function inspectValue(check: Check, schema: Schema, yaml: Extract<Yaml, { kind: 'scalar' }>) {
  const { value } = yaml;
  const say = (words: string) => check.found.push(fault(begin(check, yaml), words));
  if (schema.const !== undefined && value !== schema.const) say(`Must be ${String(schema.const)}.`);
  if (typeof value === 'number') {
    if (schema.minimum !== undefined && value < schema.minimum)
      say(`Must be at least ${schema.minimum.toLocaleString()}.`);
    if (schema.maximum !== undefined && value > schema.maximum)
      say(`Must be at most ${schema.maximum.toLocaleString()}.`);
  }
  if (typeof value === 'string') {
    if (schema.maxLength !== undefined && value.length > schema.maxLength)
      say(`Has more than ${schema.maxLength} characters.`);
    else if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value))
      say(schema.description ?? 'Is not written in the right way.');
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
  object: 'fields with values',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
};
const article = (type: string) => ARTICLES[type] ?? type;

/** Something large is marked on its first line. */
function begin({ text }: Check, { from, to }: Place): Place {
  const end = text.indexOf('\n', from);
  return { from, to: end < 0 ? to : Math.min(to, end) };
}

function list(words: string[], last = 'or'): string {
  const unique = [...new Set(words)];
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} ${last} ${unique.at(-1)}`;
}
