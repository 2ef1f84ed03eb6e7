// The colour theme: that of the system unless the user selects one.
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'sluice-theme';

let selected = $state<Theme>(stored());

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function theme(): Theme {
  return selected;
}

export function selectTheme(theme: Theme) {
  selected = theme;
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

export function applyTheme() {
  if (selected === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = selected;
}
