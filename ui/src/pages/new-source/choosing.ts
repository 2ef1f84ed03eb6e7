// Which component a new source is made from, as the address of the page says it.
import { api, data, isMissing } from '../../api/client';
import type { Component } from '../../api/types';

export type Way = 'registry' | 'code' | 'url';
/** A key of the registry, the id of a saved component, or an address to fetch one from. */
export type Chosen = { kind: 'key' | 'component' | 'url'; value: string };
export type Loaded = { component: Component; fromRegistry: boolean };

export function chosenIn(params: URLSearchParams): Chosen | undefined {
  for (const kind of ['key', 'component', 'url'] as const) {
    const value = params.get(kind);
    if (value) return { kind, value };
  }
  return undefined;
}

/** The way that the page shows; an address that names a component tells it, too. */
export function wayIn(params: URLSearchParams): Way {
  const from = params.get('from');
  if (from === 'code' || from === 'url' || from === 'registry') return from;
  return params.has('url') ? 'url' : 'registry';
}

export async function load({ kind, value }: Chosen): Promise<Loaded> {
  if (kind === 'url') {
    const component = await data(api.POST('/v1/components', { body: { component_url: value } }));
    return { component, fromRegistry: false };
  }
  if (kind === 'key') {
    try {
      const component = await data(api.GET('/v1/components/registry/{key}', { params: { path: { key: value } } }));
      return { component, fromRegistry: true };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  const path = { key_or_id: value };
  return { component: await data(api.GET('/v1/components/{key_or_id}', { params: { path } })), fromRegistry: false };
}
