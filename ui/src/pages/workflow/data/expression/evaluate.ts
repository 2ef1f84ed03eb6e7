// Evaluates an expression with known data, as far as it uses no effects and only well-known methods. The content security
// policy of the console allows no `eval`, and a run evaluates expressions in the sandbox. This is the preview of it.
import { parser } from '@lezer/javascript';
import { numberOf, unescaped } from './literals';
import { FUNCTIONS, methodsOf } from './methods';
import { BINARY, LOGICAL, UNARY } from './operators';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];
type Names = Record<string, unknown>;
type Context = { source: string; names: Names; budget: { left: number } };

/** The value cannot be known here. The message says why, if there is a reason that a user can act on. */
export class Unknown {
  // An error would collect its stack, and each step without data has one.
  readonly message: string;

  constructor(message = '') {
    this.message = message;
  }
}

/** The rest of an optional chain is skipped. */
const SKIPPED = Symbol('skipped');
/** Steps of one evaluation. */
const BUDGET = 20_000;

/** The expression of a source; undefined with a syntax error. */
export function parsed(source: string): SyntaxNode | undefined {
  const text = wrapped(source);
  const tree = parser.parse(text);
  let broken = false;
  tree.iterate({
    enter: ({ type, from, to }) => {
      // A string ends at the end of its line, also without a quote.
      broken ||= type.isError || (type.name === 'String' && (to - from < 2 || text[from] !== text[to - 1]));
    },
  });
  const statement = tree.topNode.firstChild;
  if (broken || !statement || statement.nextSibling || statement.name !== 'ExpressionStatement') return undefined;
  const inner = statement.firstChild;
  return inner?.name === 'ParenthesizedExpression' && inner.to >= source.length ? inner : undefined;
}

const wrapped = (source: string) => `(${source}\n)`;

/** Throws `Unknown`, or the error that the expression throws. */
export function evaluate(source: string, names: Names): unknown {
  const node = parsed(source);
  if (!node) throw new Unknown('The expression is not complete');
  return valueIn(node, { source: wrapped(source), names, budget: { left: BUDGET } });
}

function valueIn(node: SyntaxNode, context: Context): unknown {
  const value = chained(node, context);
  return value === SKIPPED ? undefined : value;
}

/** A value, or `SKIPPED` within an optional chain. */
function chained(node: SyntaxNode, context: Context): unknown {
  context.budget.left -= 1;
  if (context.budget.left < 0) throw new Unknown();
  const evaluator = EVALUATORS[node.name];
  if (!evaluator) throw new Unknown();
  return evaluator(node, context);
}

const EVALUATORS: Record<string, (node: SyntaxNode, context: Context) => unknown> = {
  ParenthesizedExpression: (node, context) => valueIn(part(node, 1), context),
  VariableName: variable,
  MemberExpression: member,
  CallExpression: call,
  BinaryExpression: binary,
  UnaryExpression: unary,
  ConditionalExpression: (node, context) => valueIn(part(node, valueIn(part(node, 0), context) ? 2 : 4), context),
  TemplateString: template,
  ArrayExpression: (node, context) => items(node, context),
  ObjectExpression: object,
  ArrowFunction: arrow,
  String: (node, context) => unescaped(textOf(node, context).slice(1, -1)),
  Number: (node, context) => {
    const value = numberOf(textOf(node, context));
    if (Number.isNaN(value)) throw new Unknown();
    return value;
  },
  BooleanLiteral: (node, context) => textOf(node, context) === 'true',
  null: () => null,
};

const textOf = (node: SyntaxNode, { source }: Context) => source.slice(node.from, node.to);

function parts(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (!child.name.endsWith('Comment')) found.push(child);
  return found;
}

function part(node: SyntaxNode, index: number): SyntaxNode {
  const found = parts(node)[index];
  if (!found) throw new Unknown();
  return found;
}

function variable(node: SyntaxNode, context: Context): unknown {
  const name = textOf(node, context);
  if (Object.hasOwn(context.names, name)) return known(context.names[name]);
  if (name === 'undefined') return undefined;
  if (name in globalThis) throw new Unknown();
  throw new ReferenceError(`${name} is not defined`);
}

function member(node: SyntaxNode, context: Context): unknown {
  const target = chained(part(node, 0), context);
  if (target === SKIPPED) return SKIPPED;
  const isOptional = parts(node)[1]?.name === '?.';
  if (isOptional && (target === undefined || target === null)) return SKIPPED;
  return property(target, keyOf(node, context));
}

/** Data that is missing is in its place as `Unknown`. */
function known(value: unknown): unknown {
  if (value instanceof Unknown) throw value;
  return value;
}

function keyOf(node: SyntaxNode, context: Context): string {
  const inner = parts(node);
  const bracket = inner.findIndex(({ name }) => name === '[');
  if (bracket > 0) return String(valueIn(part(node, bracket + 1), context));
  const last = inner.at(-1);
  if (last?.name !== 'PropertyName') throw new Unknown();
  return textOf(last, context);
}

/** Only properties of the data: nothing leads to the objects of the page. */
function property(target: unknown, key: string): unknown {
  if (target === undefined || target === null)
    throw new TypeError(`Cannot read properties of ${target} (reading '${key}')`);
  const holder: object = Object(target);
  if (Object.hasOwn(holder, key)) return known(Reflect.get(holder, key));
  if (key in holder) throw new Unknown();
  return undefined;
}

function call(node: SyntaxNode, context: Context): unknown {
  const callee = part(node, 0);
  const list = node.getChild('ArgList');
  if (!list) throw new Unknown();
  const name = textOf(callee, context);
  const builtin = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (builtin && !Object.hasOwn(context.names, name.split('.')[0] ?? ''))
    return builtin(...(items(list, context) as never[]));
  if (callee.name === 'MemberExpression') return method(callee, list, context);
  const value = valueIn(callee, context);
  if (typeof value !== 'function') throw new TypeError(`${name} is not a function`);
  return value(...items(list, context));
}

function method(callee: SyntaxNode, list: SyntaxNode, context: Context): unknown {
  const target = chained(part(callee, 0), context);
  if (target === SKIPPED) return SKIPPED;
  const isOptional = parts(callee)[1]?.name === '?.';
  if (isOptional && (target === undefined || target === null)) return SKIPPED;
  const name = keyOf(callee, context);
  if (!Object.hasOwn(methodsOf(target), name)) {
    if (typeof property(target, name) === 'function') throw new Unknown();
    throw new TypeError(`${textOf(callee, context)} is not a function`);
  }
  const found: unknown = Reflect.get(Object(target), name);
  if (typeof found !== 'function') throw new Unknown();
  return Reflect.apply(found, target, items(list, context));
}

/** The items of a list, or the arguments of a call. */
function items(node: SyntaxNode, context: Context): unknown[] {
  const inner = parts(node).filter(({ name }) => !/^[[\](),]$/.test(name));
  const found: unknown[] = [];
  for (let index = 0; index < inner.length; index += 1) {
    const one = inner[index];
    if (!one) continue;
    if (one.name !== 'Spread') found.push(valueIn(one, context));
    else {
      index += 1;
      const spread = inner[index];
      const value = spread && valueIn(spread, context);
      if (!Array.isArray(value)) throw new Unknown();
      found.push(...value);
    }
  }
  return found;
}

function object(node: SyntaxNode, context: Context): unknown {
  const entries = node.getChildren('Property').flatMap((one): [string, unknown][] => {
    const inner = parts(one);
    const [first] = inner;
    const last = inner.at(-1);
    if (!first || !last) throw new Unknown();
    if (first.name === 'Spread') return Object.entries(valueIn(last, context) ?? {});
    const value = () => (inner.length === 1 ? variable(first, context) : valueIn(last, context));
    if (first.name === '[') return [[String(valueIn(part(one, 1), context)), value()]];
    const text = textOf(first, context);
    const name = first.name === 'String' ? unescaped(text.slice(1, -1)) : text;
    if (name === '__proto__' || last.name === 'Block') throw new Unknown();
    return [[name, value()]];
  });
  return Object.fromEntries(entries);
}

function template(node: SyntaxNode, context: Context): string {
  let text = '';
  let at = node.from + 1;
  for (const inner of node.getChildren('Interpolation')) {
    text += unescaped(context.source.slice(at, inner.from)) + String(valueIn(part(inner, 1), context));
    at = inner.to;
  }
  return text + unescaped(context.source.slice(at, node.to - 1));
}

function unary(node: SyntaxNode, context: Context): unknown {
  const operator = UNARY[textOf(part(node, 0), context)];
  if (!operator) throw new Unknown();
  return operator(valueIn(part(node, 1), context) as never);
}

function binary(node: SyntaxNode, context: Context): unknown {
  const operator = textOf(part(node, 1), context);
  const left = valueIn(part(node, 0), context);
  const right = () => valueIn(part(node, 2), context);
  const needsRight = LOGICAL[operator];
  if (needsRight) return needsRight(left) ? right() : left;
  const apply = BINARY[operator];
  if (!apply) throw new Unknown();
  return apply(left as never, right() as never);
}

/** A function with plain parameters and an expression as its body. */
function arrow(node: SyntaxNode, context: Context): unknown {
  const body = parts(node).at(-1);
  const parameters = parts(part(node, 0)).filter(({ name }) => !/^[(),]$/.test(name));
  const isPlain = parameters.every(({ name }) => name === 'VariableDefinition');
  if (!body || body.name === 'Block' || part(node, 0).name !== 'ParamList' || !isPlain) throw new Unknown();
  const names = parameters.map((parameter) => textOf(parameter, context));
  return (...values: unknown[]) => {
    const given = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    return valueIn(body, { ...context, names: { ...context.names, ...given } });
  };
}
