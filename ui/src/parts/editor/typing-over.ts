// Typing over a selection. Chromium gives what is typed the look of what was there, with a style in the markup, which the
// policy of the page refuses and complains of. So the text is put in place here, before the browser does it.
import { EditorView } from '@codemirror/view';

export const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || !data || isComposing || ranges.every(({ empty }) => empty)) return false;
    event.preventDefault();
    if (view.state.readOnly) return true;
    const typed = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // Brackets that close around a selection are made by such handlers.
    const handled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, data, typed));
    if (!handled) view.dispatch(typed());
    return true;
  },
});
