// Binds a connection to this browser. The provider's page is of use here only.
import { api, data } from '../../api/client';

/** The address of the provider, which asks for permission. */
export async function authorize(connection: string): Promise<string> {
  const path = { id: connection };
  const authorization = await data(api.POST('/v1/accounts/connect/{id}/authorize', { params: { path } }));
  return authorization.authorization_url;
}
