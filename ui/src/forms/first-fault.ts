import { tick } from 'svelte';

/** Takes the keyboard to the first field that is wrong, once the page shows that it is. */
export async function showFirstFault(form: HTMLElement | undefined) {
  await tick();
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
