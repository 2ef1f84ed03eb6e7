// Every page of the console, with something of the company on it.
import type { Company } from '../company';

type Listed = { data: { id: string }[] };

export type ConsolePage = { name: string; path: string };

export async function companyPages({ person, sources, workflows, webhooks }: Company): Promise<ConsolePage[]> {
  const orders = `/sources/${sources['orders-from-the-shop']}`;
  const ship = `/workflows/${workflows['ship-paid-orders']}`;
  const first = async (path: string) => (await person.get<Listed>(path)).data[0]?.id;
  const [run, delivery] = await Promise.all([
    first(`${ship}/runs?limit=1`),
    first(`/webhooks/${webhooks.warehouse}/deliveries?state=failed&limit=1`),
  ]);
  return [
    { name: 'overview', path: '/' },
    { name: 'welcome', path: '/welcome' },
    { name: 'flow', path: '/flow' },
    { name: 'flow-list', path: '/flow?view=list' },
    { name: 'sources', path: '/sources' },
    { name: 'new-source', path: '/sources/new' },
    { name: 'source-events', path: orders },
    { name: 'source-logs', path: `/sources/${sources['website-health']}/logs` },
    { name: 'source-configuration', path: `${orders}/configuration` },
    { name: 'source-code', path: `${orders}/code` },
    { name: 'source-listeners', path: `${orders}/listeners` },
    { name: 'workflows', path: '/workflows' },
    { name: 'new-workflow', path: '/workflows/new' },
    { name: 'runs', path: ship },
    { name: 'run', path: `${ship}/runs/${run}` },
    { name: 'workflow-document', path: `${ship}/document` },
    { name: 'workflow-versions', path: `${ship}/versions` },
    { name: 'workflow-events', path: `${ship}/events` },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'webhook', path: `/webhooks/${webhooks.warehouse}` },
    { name: 'deliveries', path: '/deliveries' },
    { name: 'delivery', path: `/deliveries/${delivery}` },
    { name: 'accounts', path: '/accounts' },
    { name: 'users', path: '/users' },
    { name: 'settings', path: '/settings' },
    { name: 'not-found', path: '/nowhere' },
  ];
}
