// Text in a code editor.
import type { Locator } from 'playwright-core';

/**
 * Replaces the text of a code editor with its own keys. `fill` lets the browser delete the text, and the browser then keeps the
 * colours of highlighted words as an inline style, which the content security policy rejects.
 */
export async function replaceText(editor: Locator, text: string) {
  await editor.press('Control+A');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}
