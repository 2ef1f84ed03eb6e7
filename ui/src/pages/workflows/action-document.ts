// The initial document of a new workflow that uses an action.
import { api, data } from '../../api/client';
import { accountsFor } from '../workflow/document/action-accounts';
import { actionItem } from '../workflow/outline/action-item';
import { nameFrom } from '../workflow/outline/yaml/names';

export async function documentWith(key: string): Promise<string> {
  const action = await data(api.GET('/v1/components/registry/{key}', { params: { path: { key } } }));
  const accounts = await accountsFor(action);
  const step = actionItem(action, nameFrom(action.name), accounts).replace(/^(?=.)/gm, '  ');
  return `name: ${JSON.stringify(action.name)}\ntriggers:\n  - http: {}\nsteps:\n${step}`;
}
