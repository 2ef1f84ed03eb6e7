// Search by name, for the command palette.
import PackagePlus from '@lucide/svelte/icons/package-plus';
import Plus from '@lucide/svelte/icons/plus';
import Radio from '@lucide/svelte/icons/radio';
import Route from '@lucide/svelte/icons/route';
import Send from '@lucide/svelte/icons/send';
import Workflow from '@lucide/svelte/icons/workflow';
import { api, body } from '../api/client';
import type { WebhookHealth } from '../api/types';
import { isTraceId, traceHref } from '../parts/trace-link';
import type { Place } from './places';

export type SearchResult = {
  href: string;
  name: string;
  kind: string;
  icon: Place['icon'];
  health?: WebhookHealth;
};

const LIMIT_PER_KIND = 6;

export const actions: Pick<Place, 'href' | 'name' | 'icon' | 'operator'>[] = [
  { href: '/sources/new', name: 'New source', icon: Plus as Place['icon'] },
  { href: '/workflows/new', name: 'New workflow', icon: Plus as Place['icon'] },
  { href: '/webhooks?action=create', name: 'New webhook', icon: Plus as Place['icon'] },
  { href: '/apps/import', name: 'Import components', icon: PackagePlus as Place['icon'], operator: true },
];

/** Sources, workflows and webhooks with this text in their names, or the trace with this ID. */
export async function search(text: string): Promise<SearchResult[]> {
  if (isTraceId(text)) {
    return [{ href: traceHref(text), name: text, kind: 'trace', icon: Route as Place['icon'] }];
  }
  const [sources, workflows, webhooks] = await Promise.all([
    body(api.GET('/v1/users/me/sources', { params: { query: { q: text, limit: LIMIT_PER_KIND } } })),
    body(api.GET('/v1/workflows', { params: { query: { q: text, limit: LIMIT_PER_KIND } } })),
    body(api.GET('/v1/users/me/webhooks', { params: { query: { q: text, limit: LIMIT_PER_KIND } } })),
  ]);
  return [
    ...sources.data.map(({ id, name }) => ({
      href: `/sources/${id}`,
      name,
      kind: 'source',
      icon: Radio as Place['icon'],
    })),
    ...workflows.data.map(({ id, name }) => ({
      href: `/workflows/${id}`,
      name,
      kind: 'workflow',
      icon: Workflow as Place['icon'],
    })),
    ...webhooks.data.map((hook) => ({
      href: `/webhooks/${hook.id}`,
      name: hook.name ?? hook.url,
      kind: 'webhook',
      health: hook.health,
      icon: Send as Place['icon'],
    })),
  ];
}
