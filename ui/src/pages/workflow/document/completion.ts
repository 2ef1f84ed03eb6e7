// Completion from the schema: field names with descriptions, and values.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { cursorContext } from './cursor';
import { fieldsAt, type Schema, schemaAt, types, valuesOf } from './schema';

/** No completion inside code, comments and quotes. */
const EXCLUDED_NODES = new Set(['BlockLiteralContent', 'Comment', 'QuotedLiteral']);

export function completionOf(schema: Schema): CompletionSource {
  return (context) => complete(schema, context);
}

export function linesOf(state: EditorState): string[] {
  return state.doc.toString().split('\n');
}

function complete(schema: Schema, context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  if (EXCLUDED_NODES.has(syntaxTree(state).resolveInner(pos, -1).name)) return null;
  const line = state.doc.lineAt(pos);
  const cursor = cursorContext(linesOf(state), line.number - 1, line.text.slice(0, pos - line.from));
  if (!cursor || (!context.explicit && cursor.typed === '' && cursor.field === undefined)) return null;
  const from = pos - cursor.typed.length;
  if (cursor.field !== undefined) {
    const field = schemaAt(schema, [...cursor.path, cursor.field]);
    const options = field ? valuesOf(field).map((label) => ({ label, type: 'constant' })) : [];
    return options.length > 0 ? { from, options } : null;
  }
  const options = fieldsAt(schema, cursor.path)
    .filter(([name]) => !cursor.siblings.has(name))
    .map(([name, field]) => option(name, field, cursor.indent));
  return options.length > 0 ? { from, options, validFor: /^\w*$/ } : null;
}

function option(name: string, field: Schema, indent: number | undefined): Completion {
  return {
    label: name,
    type: 'property',
    ...(field.description ? { info: field.description } : {}),
    apply: `${name}:${valueStart(name, field, indent)}`,
  };
}

/** The start of a value. Objects and lists start on the next line. */
function valueStart(name: string, field: Schema, indent: number | undefined): string {
  if (indent === undefined) return ' ';
  const deeper = `\n${' '.repeat(indent + 2)}`;
  if (name === 'code') return ` |${deeper}`;
  if (types(field).includes('array')) return `${deeper}- `;
  return types(field).includes('object') ? deeper : ' ';
}
