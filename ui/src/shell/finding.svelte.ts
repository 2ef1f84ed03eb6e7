// What the palette finds by name.
import Plus from '@lucide/svelte/icons/plus';
import Radio from '@lucide/svelte/icons/radio';
import Send from '@lucide/svelte/icons/send';
import Workflow from '@lucide/svelte/icons/workflow';
import { api, body } from '../api/client';
import type { Place } from './places';

export type Found = { href: string; name: string; kind: string; icon: Place['icon'] };

const EACH = 6;

export const actions: Pick<Place, 'href' | 'name' | 'icon'>[] = [
  { href: '/sources/new', name: 'New source', icon: Plus as Place['icon'] },
  { href: '/workflows/new', name: 'New workflow', icon: Plus as Place['icon'] },
  { href: '/webhooks?action=create', name: 'New webhook', icon: Plus as Place['icon'] },
];

/** Sources, workflows and webhooks with this text in their names. */
export async function find(text: string): Promise<Found[]> {
  const [sources, workflows, webhooks] = await Promise.all([
    body(api.GET('/v1/users/me/sources', { params: { query: { q: text, limit: EACH } } })),
    body(api.GET('/v1/workflows', { params: { query: { q: text, limit: EACH } } })),
    body(api.GET('/v1/users/me/webhooks', { params: { query: { q: text, limit: EACH } } })),
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
      icon: Send as Place['icon'],
    })),
  ];
}
