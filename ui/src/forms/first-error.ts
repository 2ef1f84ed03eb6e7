import { tick } from 'svelte';

/** The first control of a field; the button that removes the field precedes it. */
const CONTROL = ':is(input, select, textarea, button, [contenteditable]):not(.head *)';

/** Focuses the first invalid field after the errors are rendered. */
export async function focusFirstError(form: HTMLElement | undefined) {
  await tick();
  const invalid = form?.querySelector<HTMLElement>('[aria-invalid="true"], fieldset[data-invalid="true"]');
  // Buttons of a group cannot be marked as invalid, so the group is.
  if (invalid?.matches('fieldset')) firstControl(invalid)?.focus();
  else invalid?.focus();
}

/** The control of a field that gets the focus: the invalid one, or the first. */
export function firstControl(field: Element | undefined): HTMLElement | undefined {
  return (
    field?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    field?.querySelector<HTMLElement>(CONTROL) ??
    undefined
  );
}
