// Explains why a provider rejected an authorization. The server reports the code within a text.
import type { App } from '../../api/types';

/** `ofClient` means that only the operator can correct it. */
export type Explanation = { advice: string; ofClient: boolean };
type Cause =
  | 'redirect'
  | 'client'
  | 'secret'
  | 'grant'
  | 'denied'
  | 'scope'
  | 'response'
  | 'code'
  | 'request'
  | 'outage';

/** The codes of OAuth 2, then those of some providers. */
const CAUSES: Record<string, Cause> = {
  redirect_uri_mismatch: 'redirect',
  invalid_client: 'client',
  unauthorized_client: 'grant',
  access_denied: 'denied',
  invalid_scope: 'scope',
  unsupported_response_type: 'response',
  unsupported_grant_type: 'grant',
  invalid_grant: 'code',
  invalid_request: 'request',
  server_error: 'outage',
  temporarily_unavailable: 'outage',
  invalid_redirect_uri: 'redirect',
  bad_redirect_uri: 'redirect',
  invalid_client_id: 'client',
  incorrect_client_credentials: 'secret',
  bad_client_secret: 'secret',
  bad_verification_code: 'code',
};

/** Says what to change; undefined for an unknown error. */
export function explain(text: string, app: App): Explanation | undefined {
  const code = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g)?.find((word) => word in CAUSES);
  const cause = code && CAUSES[code];
  if (!cause) return undefined;
  return { advice: adviceFor(cause, app), ofClient: !['denied', 'code', 'outage'].includes(cause) };
}

function adviceFor(cause: Cause, { name, oauth }: App): string {
  switch (cause) {
    case 'redirect':
      return `The client does not allow the redirect URI of this server. Add exactly ${oauth?.redirect_uri} to the client at ${name}.`;
    case 'client':
      return `${name} does not accept the client. Copy the client ID and the client secret again from its developer page.`;
    case 'secret':
      return `The client secret is wrong. Copy it again from the developer page of ${name}, or create a new one.`;
    case 'grant':
      return `The client may not request access this way. Allow the authorization code grant for it at ${name}, and publish the client if it is a draft.`;
    case 'denied':
      return `Access was denied. Try again and allow it at ${name}. If you did, an administrator of your organization there may have to approve the client.`;
    case 'scope':
      return `${name} does not allow a scope for this client. Allow the scopes there, or remove them here: ${oauth?.scopes.join(' ')}`;
    case 'response':
      return `The client does not support the authorization code flow. Register it at ${name} as a web application.`;
    case 'code':
      return `${name} does not accept the authorization any more. Try again. If it fails again, check the client secret and the redirect URI.`;
    case 'request':
      return `${name} rejected the request. Check the client ID, the redirect URI and the scopes of the client.`;
    case 'outage':
      return `${name} has a temporary problem. Try again later.`;
  }
}
