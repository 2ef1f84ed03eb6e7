// A YAML document as values with positions, from the parser of the editor.
import { yamlLanguage } from '@codemirror/lang-yaml';

type SyntaxNode = ReturnType<typeof yamlLanguage.parser.parse>['topNode'];

type Range = { from: number; to: number };
export type Pair = { key: string; keyRange: Range; value: Yaml };
export type Yaml = Range &
  (
    | { kind: 'map'; pairs: Pair[] }
    | { kind: 'list'; items: Yaml[] }
    | { kind: 'scalar'; value: string | number | boolean | null }
    /** An alias, a tag or an incomplete value. */
    | { kind: 'other' }
  );

export type ParsedYaml = { root: Yaml; broken: Range | undefined };

let last: { text: string; parsed: ParsedYaml } | undefined;

/** Parses a text, unless it is the one that was parsed last. After each pause in typing, several readers need the same text. */
export function readYaml(text: string): ParsedYaml {
  if (last?.text !== text) last = { text, parsed: parse(text) };
  return last.parsed;
}

function parse(text: string): ParsedYaml {
  const tree = yamlLanguage.parser.parse(text);
  let broken: Range | undefined;
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) broken ??= { from: node.from, to: node.to };
    },
  });
  const document = tree.topNode.getChild('Document');
  const content = document && contentOf(document);
  return { root: content ? read(content, text) : { kind: 'other', from: 0, to: 0 }, broken };
}

const VALUES = new Set([
  'BlockMapping',
  'BlockSequence',
  'FlowMapping',
  'FlowSequence',
  'Literal',
  'QuotedLiteral',
  'BlockLiteral',
  'Anchored',
  'Tagged',
  'Alias',
]);

function contentOf(node: SyntaxNode): SyntaxNode | undefined {
  for (let child = node.firstChild; child; child = child.nextSibling) if (VALUES.has(child.name)) return child;
  return undefined;
}

function read(node: SyntaxNode, text: string): Yaml {
  const { name, from, to } = node;
  const raw = text.slice(from, to);
  if (name === 'BlockMapping' || name === 'FlowMapping') return { kind: 'map', from, to, pairs: pairsOf(node, text) };
  if (name === 'BlockSequence' || name === 'FlowSequence')
    return { kind: 'list', from, to, items: itemsOf(node, text) };
  if (name === 'Literal') return { kind: 'scalar', from, to, value: plain(raw) };
  if (name === 'QuotedLiteral') return { kind: 'scalar', from, to, value: unquoted(raw) };
  if (name === 'BlockLiteral') return { kind: 'scalar', from, to, value: raw.slice(raw.indexOf('\n') + 1) };
  if (name === 'Anchored') {
    const content = contentOf(node);
    if (content) return read(content, text);
  }
  return { kind: 'other', from, to };
}

function pairsOf(node: SyntaxNode, text: string): Pair[] {
  return node.getChildren('Pair').flatMap((pair) => {
    const key = pair.getChild('Key');
    if (!key) return [];
    const raw = text.slice(key.from, key.to);
    const name = /^["']/.test(raw) ? unquoted(raw) : raw;
    const value = contentOf(pair);
    const empty: Yaml = { kind: 'scalar', from: key.from, to: key.to, value: null };
    return [{ key: name, keyRange: { from: key.from, to: key.to }, value: value ? read(value, text) : empty }];
  });
}

function itemsOf(node: SyntaxNode, text: string): Yaml[] {
  const items = node.getChildren('Item').map((item) => ({ item, content: contentOf(item) }));
  return items.map(({ item: { from, to }, content }) =>
    content ? read(content, text) : { kind: 'scalar', from, to, value: null },
  );
}

/** The value of an unquoted scalar in YAML 1.2. */
function plain(raw: string): string | number | boolean | null {
  if (/^(null|Null|NULL|~|)$/.test(raw)) return null;
  if (/^(true|True|TRUE)$/.test(raw)) return true;
  if (/^(false|False|FALSE)$/.test(raw)) return false;
  return /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/.test(raw) ? Number(raw) : raw;
}

function unquoted(raw: string): string {
  if (raw.startsWith("'")) return raw.slice(1, -1).replaceAll("''", "'");
  try {
    // The escapes of JSON are also those of YAML.
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
}

/** The value under a key of a map. */
export function at(yaml: Yaml | undefined, key: string): Yaml | undefined {
  return yaml?.kind === 'map' ? yaml.pairs.find((pair) => pair.key === key)?.value : undefined;
}

/** The names of the declared secrets. */
export function declaredSecrets(text: string): string[] {
  const env = at(readYaml(text).root, 'env');
  if (env?.kind !== 'map') return [];
  return env.pairs.filter(({ value }) => at(value, 'secret')?.kind === 'scalar').map(({ key }) => key);
}

/** The values of the environment, as they are written. Those of secrets are undefined. */
export function environment(text: string): Record<string, string | undefined> {
  const env = at(readYaml(text).root, 'env');
  if (env?.kind !== 'map') return {};
  return Object.fromEntries(env.pairs.map(({ key, value }) => [key, writtenText(value, text)]));
}

function writtenText(yaml: Yaml, text: string): string | undefined {
  if (yaml.kind !== 'scalar') return undefined;
  if (yaml.value === null) return '';
  return typeof yaml.value === 'string' ? yaml.value : text.slice(yaml.from, yaml.to);
}

/** The files that steps refer to, unchanged. */
export function referencedFiles(text: string): string[] {
  const steps = at(readYaml(text).root, 'steps');
  if (steps?.kind !== 'list') return [];
  const files = steps.items.map((step) => at(step, 'file'));
  return files.flatMap((file) => (file?.kind === 'scalar' && typeof file.value === 'string' ? [file.value] : []));
}
