// The initial document of a new workflow that uses an action.
import { api, data } from '../../api/client';
import { accountsFor } from '../workflow/document/action-accounts';

export async function documentWith(key: string): Promise<string> {
  const action = await data(api.GET('/v1/components/registry/{key}', { params: { path: { key } } }));
  const [{ addStep }, accounts] = await Promise.all([import('../workflow/document/add-step'), accountsFor(action)]);
  const head = `name: ${JSON.stringify(action.name)}\ntriggers:\n  - http: {}\n`;
  return addStep(head, action, accounts) ?? head;
}
