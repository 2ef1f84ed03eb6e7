// A person without a mouse: the focus moves with Tab only.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The focused element, as a screen reader announces it. */
export type Focus = {
  name: string;
  /** The labels of the groups around it, innermost first. */
  groups: string[];
  /** The text of a field, or the selected option. */
  value: string;
  /** The active option of an open list. */
  option: string | undefined;
  checked: boolean;
  invalid: boolean;
  /** Hint and error. */
  description: string;
};

/** Fields are at most this many stops apart. */
const MAX_STOPS = 60;

export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  press(key: string) {
    return this.page.keyboard.press(key);
  }
  type(text: string) {
    return this.page.keyboard.type(text);
  }

  /** Replaces the text of the focused field. */
  async replace(text: string) {
    await this.press('Control+A');
    await this.press('Delete');
    await this.type(text);
  }

  focus(): Promise<Focus> {
    return this.page.evaluate(() => {
      const words = (node: Element | null | undefined) => node?.textContent?.trim().replace(/\s+/g, ' ') ?? '';
      const named = (ids: string | null) => (ids ?? '').split(' ').map((id) => words(document.getElementById(id)));
      const focused = document.activeElement ?? document.body;
      const field = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement;
      const label = field || focused instanceof HTMLSelectElement ? words(focused.labels?.[0]) : words(focused);
      const groups: string[] = [];
      for (let at = focused.closest('fieldset'); at; at = at.parentElement?.closest('fieldset') ?? null) {
        groups.push(at.getAttribute('aria-label') ?? named(at.getAttribute('aria-labelledby')).join(' '));
      }
      const option = focused.getAttribute('aria-activedescendant');
      return {
        name: focused === document.body ? '' : (focused.getAttribute('aria-label') ?? label),
        groups,
        value: focused instanceof HTMLSelectElement ? words(focused.selectedOptions[0]) : field ? focused.value : '',
        option: option ? words(document.getElementById(option)) : undefined,
        checked: focused instanceof HTMLInputElement && focused.checked,
        invalid: focused.getAttribute('aria-invalid') === 'true',
        description: named(focused.getAttribute('aria-describedby')).join(' '),
      };
    });
  }

  /** Presses Tab until the element with this name has the focus. */
  async tabTo(name: string, group?: string): Promise<Focus> {
    return this.tab(
      (focus) => focus.name === name && (group === undefined || focus.groups.includes(group)),
      group ? `${name} in ${group}` : name,
    );
  }

  /** Presses Tab until the element is found. An element with the focus is not searched for. */
  async tab(found: (focus: Focus) => boolean, what: string): Promise<Focus> {
    const passed: string[] = [];
    let focus = await this.focus();
    for (let stop = 0; stop < MAX_STOPS && !found(focus); stop += 1) {
      await this.press('Tab');
      focus = await this.focus();
      passed.push([...focus.groups.toReversed(), focus.name].join(' › '));
    }
    if (!found(focus)) throw new Error(`Tab does not reach ${what}. It reaches:\n${passed.join('\n')}`);
    return focus;
  }

  /** Presses an arrow key until the condition holds. */
  async arrowUntil(found: (focus: Focus) => boolean, what: string, key = 'ArrowDown') {
    const passed: unknown[] = [];
    for (let step = 0; step < MAX_STOPS; step += 1) {
      const focus = await this.focus();
      if (found(focus)) return;
      passed.push(focus.option ?? focus.value);
      await this.press(key);
    }
    throw new Error(`${key} does not reach ${what}. It reaches: ${passed.join(', ')}`);
  }

  /** Waits until the focused element satisfies a condition. */
  async expectFocus(expected: Partial<Focus>) {
    await expect.poll(() => this.focus()).toMatchObject(expected);
  }
}
