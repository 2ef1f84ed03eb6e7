// Explains why a provider did not connect an account.
import type { App, ConnectionErrorCode } from '../../api/types';

/** `ofClient` means that only the operator can correct it. */
export type Explanation = { advice: string; ofClient: boolean };

/** Errors that another attempt may correct. */
const OF_ATTEMPT: ConnectionErrorCode[] = [
  'access_denied',
  'invalid_grant',
  'temporarily_unavailable',
  'account_deleted',
];

/** Says what to change; undefined for an error that only its message explains. */
export function explain(code: ConnectionErrorCode | undefined, app: App): Explanation | undefined {
  const advice = code && adviceFor(code, app);
  return advice ? { advice, ofClient: !OF_ATTEMPT.includes(code) } : undefined;
}

function adviceFor(code: ConnectionErrorCode, { name, oauth }: App): string | undefined {
  switch (code) {
    case 'redirect_uri_mismatch':
      return `The client does not allow the redirect URI of this server. Add exactly ${oauth?.redirect_uri} to the client at ${name}.`;
    case 'invalid_client':
      return `${name} does not accept the client. Copy the client ID and the client secret again from its developer page.`;
    case 'invalid_client_secret':
      return `The client secret is wrong. Copy it again from the developer page of ${name}, or create a new one.`;
    case 'unauthorized_client':
      return `The client may not request access this way. Allow the authorization code grant for it at ${name}, and publish the client if it is a draft.`;
    case 'access_denied':
      return `Access was denied. Try again and allow it at ${name}. If you did, an administrator of your organization there may have to approve the client.`;
    case 'invalid_scope':
      return `${name} does not allow a scope for this client. Allow the scopes there, or remove them here: ${oauth?.scopes.join(' ')}`;
    case 'unsupported_response_type':
      return `The client does not support the authorization code flow. Register it at ${name} as a web application.`;
    case 'invalid_grant':
      return `${name} does not accept the authorization any more. Try again. If it fails again, check the client secret and the redirect URI.`;
    case 'invalid_request':
      return `${name} rejected the request. Check the client ID, the redirect URI and the scopes of the client.`;
    case 'temporarily_unavailable':
      return `${name} has a temporary problem. Try again later.`;
    case 'account_deleted':
      return 'The account was deleted meanwhile. Connect a new one.';
    case 'app_not_ready':
    case 'provider_error':
    case 'internal_error':
      return undefined;
  }
}
