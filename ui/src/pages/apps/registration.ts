// The form for registering an app, and its request.
import type { App, AppRegistration } from '../../api/types';
import { type KeyField, keyFields } from '../../forms/accounts/keys';
import type { Pair } from '../../forms/pairs';

export type AuthType = App['auth_type'];
export type FieldEntry = Pick<KeyField, 'name' | 'label' | 'optional' | 'secret'> & { description: string };
export type ClientEntry = {
  authorizationUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  developerUrl: string;
  scopeSeparator: string;
  clientAuthentication: '' | 'client_secret_basic' | 'client_secret_post';
  pkce: boolean;
  userinfoUrl: string;
  uidField: string;
  revocationUrl: string;
  authorizeParams: Pair[];
  tokenParams: Pair[];
  /** Fields of an account beside its tokens. */
  fields: FieldEntry[];
};
export type Registration = {
  slug: string;
  name: string;
  description: string;
  auth: AuthType;
  fields: FieldEntry[];
  client: ClientEntry;
};

export const emptyField = (): FieldEntry => ({ name: '', label: '', description: '', optional: false, secret: true });

export function registration(app: App | undefined): Registration {
  return {
    slug: app?.name_slug ?? '',
    name: app?.name ?? '',
    description: app?.description ?? '',
    auth: app?.auth_type ?? 'keys',
    fields: app ? declaredFields(app) : [{ ...emptyField(), name: 'api_key', label: 'API key' }],
    client: {
      authorizationUrl: app?.oauth?.authorization_url ?? '',
      tokenUrl: app?.oauth?.token_url ?? '',
      clientId: app?.oauth?.client_id ?? '',
      clientSecret: '',
      scopes: app?.oauth?.scopes.join(' ') ?? '',
      developerUrl: app?.oauth?.developer_url ?? '',
      scopeSeparator: '',
      clientAuthentication: '',
      pkce: true,
      userinfoUrl: '',
      uidField: '',
      revocationUrl: '',
      authorizeParams: [],
      tokenParams: [],
      fields: app?.oauth ? declaredFields(app) : [],
    },
  };
}

function declaredFields(app: App): FieldEntry[] {
  return keyFields(app.custom_fields_json).map(entry);
}

function entry({ name, label, description, optional, secret }: KeyField): FieldEntry {
  return { name, label, description: description ?? '', optional, secret };
}

export function requestOf(entered: Registration): AppRegistration {
  const { slug, name, description, auth } = entered;
  return {
    name_slug: slug.trim(),
    name: text(name),
    description: text(description),
    auth_type: auth,
    custom_fields: auth === 'keys' ? fieldRequests(entered.fields) : undefined,
    oauth: auth === 'oauth' ? clientRequest(entered.client) : undefined,
  };
}

function fieldRequests(fields: FieldEntry[]) {
  return fields.filter((field) => field.name.trim() !== '').map(fieldRequest);
}

function fieldRequest(field: FieldEntry) {
  return {
    name: field.name.trim(),
    label: text(field.label),
    description: text(field.description),
    optional: field.optional,
    type: field.secret ? 'password' : 'string',
  };
}

function clientRequest(client: ClientEntry): NonNullable<AppRegistration['oauth']> {
  return {
    authorization_url: client.authorizationUrl.trim(),
    token_url: client.tokenUrl.trim(),
    client_id: client.clientId.trim(),
    client_secret: text(client.clientSecret),
    scopes: client.scopes.split(/[\s,]+/).filter(Boolean),
    scope_separator: client.scopeSeparator || undefined,
    client_authentication: client.clientAuthentication || undefined,
    pkce: client.pkce,
    userinfo_url: text(client.userinfoUrl),
    uid_field: text(client.uidField),
    revocation_url: text(client.revocationUrl),
    authorize_params: record(client.authorizeParams),
    token_params: record(client.tokenParams),
    developer_url: text(client.developerUrl),
    fields: fieldRequests(client.fields),
  };
}

const text = (value: string) => value.trim() || undefined;
const record = (pairs: Pair[]) =>
  Object.fromEntries(pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]));
