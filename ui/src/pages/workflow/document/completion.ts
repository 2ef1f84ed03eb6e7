// What the schema offers at a place: names of fields with what they mean, and values.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { spotAt } from './place';
import { fieldsAt, type Schema, schemaAt, types, valuesOf } from './schema';

/** Inside code, comments and quotes nothing is offered. */
const CLOSED = new Set(['BlockLiteralContent', 'Comment', 'QuotedLiteral']);

export function completionOf(schema: Schema): CompletionSource {
  return (context) => complete(schema, context);
}

export function linesOf(state: EditorState): string[] {
  return state.doc.toString().split('\n');
}

function complete(schema: Schema, context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  if (CLOSED.has(syntaxTree(state).resolveInner(pos, -1).name)) return null;
  const line = state.doc.lineAt(pos);
  const spot = spotAt(linesOf(state), line.number - 1, line.text.slice(0, pos - line.from));
  if (!spot || (!context.explicit && spot.typed === '' && spot.field === undefined)) return null;
  const from = pos - spot.typed.length;
  if (spot.field !== undefined) {
    const field = schemaAt(schema, [...spot.path, spot.field]);
    const options = field ? valuesOf(field).map((label) => ({ label, type: 'constant' })) : [];
    return options.length > 0 ? { from, options } : null;
  }
  const options = fieldsAt(schema, spot.path)
    .filter(([name]) => !spot.siblings.has(name))
    .map(([name, field]) => option(name, field, spot.indent));
  return options.length > 0 ? { from, options, validFor: /^\w*$/ } : null;
}

function option(name: string, field: Schema, indent: number | undefined): Completion {
  return {
    label: name,
    type: 'property',
    ...(field.description ? { info: field.description } : {}),
    apply: `${name}:${beginning(name, field, indent)}`,
  };
}

/** How the value of a field begins: what is large goes on the next line. */
function beginning(name: string, field: Schema, indent: number | undefined): string {
  if (indent === undefined) return ' ';
  const deeper = `\n${' '.repeat(indent + 2)}`;
  if (name === 'code') return ` |${deeper}`;
  if (types(field).includes('array')) return `${deeper}- `;
  return types(field).includes('object') ? deeper : ' ';
}
