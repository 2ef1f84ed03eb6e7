// The preferred JSON view, stored in the browser.
export type View = 'pretty' | 'structured' | 'raw';

export const views: { view: View; name: string }[] = [
  { view: 'pretty', name: 'Pretty' },
  { view: 'structured', name: 'Structured' },
  { view: 'raw', name: 'Raw' },
];

const KEY = 'sluice-json-view';
let selected = $state<View>(views.find(({ view }) => view === localStorage.getItem(KEY))?.view ?? 'pretty');

export function selectedView(): View {
  return selected;
}

export function selectView(view: View) {
  selected = view;
  localStorage.setItem(KEY, view);
}
