// The component of an action, by its key or id as in a document.
import { api, data } from '../../../api/client';
import { isMissing } from '../../../api/errors';
import type { Component } from '../../../api/types';

export type ActionComponent = Pick<
  Component,
  'id' | 'key' | 'name' | 'description' | 'version' | 'configurable_props' | 'app'
>;
const FIELDS = 'id,key,name,description,version,configurable_props,app';
const STALE_MS = 60_000;

/** Query options; null if there is no such component. */
export function actionOptions(reference: string) {
  return {
    queryKey: ['workflow-action', reference],
    queryFn: () => find(reference),
    staleTime: STALE_MS,
    enabled: reference !== '',
    retry: false,
  };
}

/** In the order of the server: published ones of this account, the registry, saved ones. */
async function find(reference: string): Promise<ActionComponent | null> {
  const query = { include: FIELDS };
  if (!reference.startsWith('sc_')) {
    const params = { path: { key: reference } };
    const listed = await orNull(data(api.GET('/v1/components/registry/{key}', { params })));
    if (listed) return listed;
  }
  const params = { path: { key_or_id: reference }, query };
  return orNull(data(api.GET('/v1/components/{key_or_id}', { params })));
}

async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
