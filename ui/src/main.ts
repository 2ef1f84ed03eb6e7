import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/forms.css';
import './styles/tables.css';
import { toast } from './parts/toasts.svelte';
import { applyTheme } from './shell/theme.svelte';

applyTheme();
// Pages are loaded when they are opened; a server that was updated meanwhile has others.
addEventListener('vite:preloadError', () => {
  toast('A part of the console could not be loaded. Reload the page to try again.', 'bad');
});
const target = document.getElementById('app');
if (target) mount(App, { target });
