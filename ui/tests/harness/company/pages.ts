// All pages of the console, with data of the company.
import type { Company } from './types';

const orders = ({ sources }: Company) => `/sources/${sources['orders-from-the-shop']}`;
const ship = ({ workflows }: Company) => `/workflows/${workflows['ship-paid-orders']}`;

export const PAGES: Record<string, (company: Company) => string> = {
  overview: () => '/',
  welcome: () => '/welcome',
  trace: ({ delivery }) => `/traces/${delivery}`,
  flow: () => '/flow',
  'flow-list': () => '/flow?view=list',
  sources: () => '/sources',
  'new-source': () => '/sources/new',
  'source-events': orders,
  'source-logs': ({ sources }) => `/sources/${sources['website-health']}/logs`,
  'source-configuration': (company) => `${orders(company)}/configuration`,
  'source-code': (company) => `${orders(company)}/code`,
  'source-listeners': (company) => `${orders(company)}/listeners`,
  workflows: () => '/workflows',
  'new-workflow': () => '/workflows/new',
  runs: ship,
  run: (company) => `${ship(company)}/runs/${company.run}`,
  'workflow-document': (company) => `${ship(company)}/document`,
  'workflow-versions': (company) => `${ship(company)}/versions`,
  'workflow-events': (company) => `${ship(company)}/events`,
  webhooks: () => '/webhooks',
  webhook: ({ webhooks }) => `/webhooks/${webhooks.warehouse}`,
  deliveries: () => '/deliveries',
  delivery: ({ delivery }) => `/deliveries/${delivery}`,
  accounts: () => '/accounts',
  apps: () => '/apps',
  app: () => '/apps/github',
  import: () => '/apps/import',
  agents: () => '/agents',
  'new-tool': () => '/agents/new',
  users: () => '/users',
  nodes: () => '/nodes',
  audit: () => '/audit',
  settings: () => '/settings',
  'not-found': () => '/nowhere',
};
