// Light or dark: as the system has it, until somebody chooses.
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'sluice-theme';

let chosen = $state<Theme>(stored());

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function theme(): Theme {
  return chosen;
}

export function chooseTheme(theme: Theme) {
  chosen = theme;
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

export function applyTheme() {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
