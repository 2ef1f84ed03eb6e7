import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/forms.css';
import './styles/tables.css';
import { reportMissingCode } from './shell/missing-code';
import { applyTheme } from './shell/theme.svelte';

applyTheme();
reportMissingCode();
const target = document.getElementById('app');
if (target) mount(App, { target });
