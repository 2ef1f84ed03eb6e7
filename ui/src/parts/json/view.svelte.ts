// How people like to read JSON; remembered for the next value.
export type View = 'pretty' | 'structured' | 'raw';

export const views: { view: View; name: string }[] = [
  { view: 'pretty', name: 'Pretty' },
  { view: 'structured', name: 'Structured' },
  { view: 'raw', name: 'Raw' },
];

const KEY = 'sluice-json-view';
let chosen = $state<View>(views.find(({ view }) => view === localStorage.getItem(KEY))?.view ?? 'pretty');

export function chosenView(): View {
  return chosen;
}

export function chooseView(view: View) {
  chosen = view;
  localStorage.setItem(KEY, view);
}
