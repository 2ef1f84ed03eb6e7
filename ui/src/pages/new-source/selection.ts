// The component of a new source, as selected in the URL.
import { api, data } from '../../api/client';
import { isMissing } from '../../api/errors';
import type { Component } from '../../api/types';

export type ComponentOrigin = 'registry' | 'code' | 'url';
/** A registry key, the id of a saved component, or a URL. */
export type Selection = { kind: 'key' | 'component' | 'url'; value: string };
export type LoadedComponent = { component: Component; fromRegistry: boolean };

export function selectionFromUrl(params: URLSearchParams): Selection | undefined {
  for (const kind of ['key', 'component', 'url'] as const) {
    const value = params.get(kind);
    if (value) return { kind, value };
  }
  return undefined;
}

/** The tab to show. A URL that names a component implies it. */
export function originFromUrl(params: URLSearchParams): ComponentOrigin {
  const from = params.get('from');
  if (from === 'code' || from === 'url' || from === 'registry') return from;
  return params.has('url') ? 'url' : 'registry';
}

export async function load({ kind, value }: Selection): Promise<LoadedComponent> {
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
