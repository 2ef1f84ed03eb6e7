// The routes. The code of a page is loaded when it is first opened.
import { createRouter } from 'sv-router';
import NotFound from './pages/NotFound.svelte';

export const { p, navigate, isActive, preload, route } = createRouter({
  '/': () => import('./pages/overview/Overview.svelte'),
  '/welcome': () => import('./pages/welcome/Welcome.svelte'),
  '/sources': {
    '/': () => import('./pages/sources/Sources.svelte'),
    '/new': () => import('./pages/new-source/NewSource.svelte'),
    '/:id': {
      '/': () => import('./pages/source/events/EventsTab.svelte'),
      '/logs': () => import('./pages/source/logs/LogsTab.svelte'),
      '/configuration': () => import('./pages/source/configuration/ConfigurationTab.svelte'),
      '/code': () => import('./pages/source/code/CodeTab.svelte'),
      '/versions': () => import('./pages/source/versions/VersionsTab.svelte'),
      '/listeners': () => import('./pages/source/listeners/ListenersTab.svelte'),
      layout: () => import('./pages/source/SourceLayout.svelte'),
    },
  },
  '/workflows': {
    '/': () => import('./pages/workflows/Workflows.svelte'),
    '/new': () => import('./pages/workflows/NewWorkflow.svelte'),
    '/:id': {
      '/': () => import('./pages/workflow/RunsTab.svelte'),
      '/runs/:run': () => import('./pages/workflow/RunPage.svelte'),
      '/compare': () => import('./pages/workflow/CompareRuns.svelte'),
      '/document': () => import('./pages/workflow/DocumentTab.svelte'),
      '/versions': () => import('./pages/workflow/VersionsTab.svelte'),
      '/events': () => import('./pages/workflow/EventsTab.svelte'),
      layout: () => import('./pages/workflow/WorkflowLayout.svelte'),
    },
  },
  '/webhooks': {
    '/': () => import('./pages/webhooks/Webhooks.svelte'),
    '/:id': () => import('./pages/webhooks/WebhookPage.svelte'),
  },
  '/deliveries': {
    '/': () => import('./pages/deliveries/Deliveries.svelte'),
    '/:id': () => import('./pages/deliveries/DeliveryPage.svelte'),
  },
  '/traces/:id': () => import('./pages/trace/TracePage.svelte'),
  '/flow': () => import('./pages/flow/FlowMap.svelte'),
  '/accounts': {
    '/': () => import('./pages/accounts/Accounts.svelte'),
    '/connect/:id': () => import('./pages/accounts/ConnectLink.svelte'),
  },
  '/apps': {
    '/': () => import('./pages/apps/Apps.svelte'),
    '/import': () => import('./pages/import/Import.svelte'),
    '/:slug': () => import('./pages/apps/AppPage.svelte'),
  },
  '/agents': {
    '/': () => import('./pages/agents/Agents.svelte'),
    '/new': () => import('./pages/agents/NewTool.svelte'),
    '/authorize': () => import('./pages/agents/Authorize.svelte'),
  },
  '/users': () => import('./pages/users/Users.svelte'),
  '/nodes': () => import('./pages/nodes/Nodes.svelte'),
  '/audit': () => import('./pages/audit/Audit.svelte'),
  '/settings': () => import('./pages/settings/Settings.svelte'),
  '*': NotFound,
});
