// OAuth 2 definitions: the providers of grant, corrected and completed by overrides.json.
import { createRequire } from "node:module";
import { labelOf, normalise } from "./names.mjs";

const require = createRequire(import.meta.url);

const SECRET = /key|secret|token|password|certificate|^ca$|^cert$/i;
const PLACEHOLDER = /\{(\w+)\}/g;
const DEFAULT_FIELD = "The part of the address that names your account.";

// The members of a definition, in the order in which they are written.
const MEMBERS = [
  "authorization_url",
  "token_url",
  "revocation_url",
  "userinfo_url",
  "uid_field",
  "scopes",
  "scope_separator",
  "authorize_params",
  "token_params",
  "client_authentication",
  "pkce",
  "developer_url",
];

const braces = (url) => url?.replace(/\[(\w+)\]/g, "{$1}");

// grant sends the client secret in the form and separates scopes by a comma unless it says otherwise.
// Its profile URLs serve only where overrides.json names the member that holds the id of the user.
function fromGrant(name, settings, profile) {
  return {
    name,
    authorization_url: braces(settings.authorize_url),
    token_url: braces(settings.access_url),
    profile_url: braces(profile?.profile_url),
    scope_separator: settings.scope_delimiter ?? ",",
    client_authentication: settings.token_endpoint_auth_method ?? "client_secret_post",
    pkce: settings.pkce ?? false,
  };
}

// Changes win. Scopes and fields add up, and null removes a member.
function merge(base, changes) {
  const merged = { ...base, ...changes };
  merged.scopes = [...new Set([...(base.scopes ?? []), ...(changes.scopes ?? [])])];
  merged.fields = { ...base.fields, ...changes.fields };
  return merged;
}

function renameAll(definition, names = {}) {
  let text = JSON.stringify({ ...definition, rename: undefined });
  for (const [from, to] of Object.entries(names)) {
    text = text.replaceAll(`{${from}}`, `{${to}}`).replaceAll(`"${from}":`, `"${to}":`);
  }
  return JSON.parse(text);
}

export function loadProviders(overrides, used) {
  const oauth = require("grant/config/oauth.json");
  const profiles = require("grant/config/profile.json");
  const providers = new Map();
  for (const [name, settings] of Object.entries(oauth)) {
    if (settings.oauth === 2) providers.set(name, fromGrant(name, settings, profiles[name]));
  }
  for (const [name, changes] of Object.entries(overrides)) {
    used.add(`providers.${name}`);
    const base = providers.get(name) ?? { name, scope_separator: " " };
    providers.set(name, renameAll(merge(base, changes), changes.rename));
  }
  return providers;
}

// Providers by the name that a slug has to equal, as in `battle_net` and `battlenet`.
export function indexProviders(providers) {
  return new Map([...providers.values()].map((provider) => [normalise(provider.slug ?? provider.name), provider]));
}

// A field is given as its help, or as an object. A question mark after the name makes it optional.
export function fieldsOf(fields, words) {
  return Object.entries(fields).map(([key, value]) => {
    const name = key.replace(/\?$/, "");
    const settings = typeof value === "string" ? { description: value } : value;
    const field = {
      name,
      label: settings.label ?? labelOf(name, words),
      description: settings.description,
      default: settings.default,
      optional: key.endsWith("?"),
    };
    if ((settings.type ?? (SECRET.test(name) ? "password" : "text")) === "password") field.type = "password";
    return field;
  });
}

function placeholdersOf(definition) {
  const urls = MEMBERS.map((member) => definition[member]).filter((value) => typeof value === "string");
  return urls.flatMap((url) => [...url.matchAll(PLACEHOLDER)].map(([, name]) => name));
}

const isEmpty = (value) => value == null || Object.keys(Object(value)).length === 0;

function isWritten(value) {
  return typeof value === "object" ? !isEmpty(value) : value !== undefined && value !== "";
}

// The member `auth` of an app with OAuth 2.
export function definitionOf(provider, changes, words) {
  const definition = renameAll(merge({ scope_separator: " ", ...provider }, changes), changes.rename);
  if (definition.uid_field) definition.userinfo_url ??= definition.profile_url;
  definition.client_authentication ??= "client_secret_post";
  definition.pkce ??= false;
  for (const name of placeholdersOf(definition)) definition.fields[name] ??= DEFAULT_FIELD;
  const auth = { type: "oauth" };
  for (const member of MEMBERS) {
    if (isWritten(definition[member])) auth[member] = definition[member];
  }
  const fields = fieldsOf(definition.fields, words);
  if (fields.length > 0) auth.fields = fields;
  return auth;
}
