// Completion of `steps.` and `event.` in an editor, in expressions and in code, and types on hover.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { entriesOf, pathAt, pathBefore, pathText, preview, type Scope, typeOf, valueAt } from './paths';

/** `scope` is read at each use, so that results of tests are known at once. */
export function dataSupport(scope: () => Scope): Extension {
  const autocomplete = (context: CompletionContext) => complete(scope(), context);
  return [EditorState.languageData.of(() => [{ autocomplete }]), hoverValues(scope)];
}

function complete(scope: Scope, { state, pos }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const before = pathBefore(line.text.slice(0, pos - line.from));
  if (!before) return null;
  const value = valueAt(scope, before.path);
  if (Array.isArray(value)) return null;
  const options = entriesOf(value).filter(({ key }) => /^[A-Za-z_$][\w$]*$/.test(String(key)));
  if (options.length === 0) return null;
  return {
    from: pos - before.typed.length,
    options: options.map(({ key, value }) => ({
      label: String(key),
      type: 'property',
      detail: typeOf(value),
      info: preview(value),
    })),
    validFor: /^[\w$]*$/,
  };
}

function hoverValues(scope: () => Scope): Extension {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const found = pathAt(line.text, pos - line.from);
    const value = found && valueAt(scope(), found.path);
    if (!found || value === undefined) return null;
    return {
      pos: line.from + found.from,
      end: line.from + found.to,
      above: true,
      create: () => ({ dom: valueBox(`${pathText(found.path)}: ${typeOf(value)}`, preview(value)) }),
    };
  });
}

function valueBox(title: string, text: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'document-explanation';
  const name = document.createElement('strong');
  name.textContent = title;
  const value = document.createElement('code');
  value.textContent = text;
  box.append(name, value);
  return box;
}
