// Typing over a selection. Chromium would copy the style of the replaced text into a `style` attribute, which the content
// security policy blocks with an error. So the text is replaced here, before the browser does it.
import { EditorView } from '@codemirror/view';

export const replaceSelectionInput = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || !data || isComposing || ranges.every(({ empty }) => empty)) return false;
    event.preventDefault();
    if (view.state.readOnly) return true;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // These handlers insert closing brackets around a selection.
    const handled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, data, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});
