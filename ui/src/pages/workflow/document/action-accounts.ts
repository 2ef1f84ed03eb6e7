// The accounts that a new step uses. With a single account of an app there is nothing to choose.
import { api, body } from '../../../api/client';
import type { Component } from '../../../api/types';
import { propsOf } from '../../../forms/prop';

export type Action = Pick<Component, 'id' | 'key' | 'name' | 'configurable_props'>;
/** The id of an account for each app, by slug. */
export type AccountIds = Record<string, string | undefined>;

export async function accountsFor(action: Action): Promise<AccountIds> {
  const props = propsOf(action.configurable_props).filter(({ type }) => type === 'app');
  const slugs = props.map(({ app, name }) => app ?? name);
  return Object.fromEntries(await Promise.all(slugs.map(async (app) => [app, await onlyAccount(app)] as const)));
}

async function onlyAccount(app: string): Promise<string | undefined> {
  const { data } = await body(api.GET('/v1/accounts', { params: { query: { app, limit: 2 } } }));
  const [account, ...others] = data;
  return account && others.length === 0 && !account.dead ? account.id : undefined;
}
