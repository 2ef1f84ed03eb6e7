import { tick } from 'svelte';

/** Focuses the first invalid field after the errors are rendered. */
export async function focusFirstError(form: HTMLElement | undefined) {
  await tick();
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
