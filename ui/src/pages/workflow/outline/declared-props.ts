// The props that the code of a step declares, as far as they are literals.
import { parser } from '@lezer/javascript';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** Rows like those of `configurable_props`. Props that are not literals are left out. */
export function declaredProps(code: string): Record<string, unknown>[] {
  const tree = parser.configure({ dialect: 'ts' }).parse(code);
  const exported = tree.topNode.getChild('ExportDeclaration');
  const object = exported && objectOf(exported);
  const props = object && propertyValue(object, 'props', code);
  const declared = props ? literal(props, code) : undefined;
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared)) return [];
  return Object.entries(declared).flatMap(([name, value]) => {
    if (typeof value === 'string') return [{ name, type: value }];
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [{ type: 'any', ...value, name }]
      : [];
  });
}

/** The object that is exported, or the first argument of the call that is. */
function objectOf(exported: SyntaxNode): SyntaxNode | null {
  const call = exported.getChild('CallExpression');
  const inside = call ? call.getChild('ArgList') : exported;
  return inside?.getChild('ObjectExpression') ?? null;
}

function propertyValue(object: SyntaxNode, name: string, code: string): SyntaxNode | undefined {
  return (
    object
      .getChildren('Property')
      .filter((property) => keyOf(property, code) === name)
      .map((property) => property.lastChild)
      .find((value) => value?.name === 'ObjectExpression') ?? undefined
  );
}

function keyOf(property: SyntaxNode, code: string): string | undefined {
  const key = property.firstChild;
  if (!key) return undefined;
  const text = code.slice(key.from, key.to);
  if (key.name === 'PropertyDefinition') return text;
  return key.name === 'String' ? string(text) : undefined;
}

/** The value of a literal; undefined for other expressions. */
function literal(node: SyntaxNode, code: string): unknown {
  const text = code.slice(node.from, node.to);
  switch (node.name) {
    case 'String':
      return string(text);
    case 'Number':
      return Number(text.replaceAll('_', ''));
    case 'BooleanLiteral':
      return text === 'true';
    case 'ArrayExpression':
      return children(node)
        .map((child) => literal(child, code))
        .filter((value) => value !== undefined);
    case 'ObjectExpression': {
      const entries = node.getChildren('Property').map((property) => {
        const value = property.lastChild;
        return [keyOf(property, code), value ? literal(value, code) : undefined] as const;
      });
      return Object.fromEntries(entries.filter(([key, value]) => key !== undefined && value !== undefined));
    }
    default:
      return undefined;
  }
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (!/^[[\],]$/.test(child.name)) found.push(child);
  return found;
}

function string(text: string): string {
  const inner = text.slice(1, -1);
  return inner.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped));
}
