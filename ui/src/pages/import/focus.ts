// The focus after a form, a progress or a result has replaced another part of the page.

/** Focuses an element, and scrolls if it is not in view. */
export function takeFocus(element: HTMLElement) {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}
