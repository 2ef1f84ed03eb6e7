// The credential fields of an app.
import { isRecord } from '../prop';

export type KeyField = {
  name: string;
  label: string;
  description: string | undefined;
  optional: boolean;
  secret: boolean;
  default: string;
};

/** Reads `custom_fields_json` of an app. */
export function keyFields(json: string): KeyField[] {
  let rows: unknown;
  try {
    rows = JSON.parse(json);
  } catch {
    return [];
  }
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row) => (isRecord(row) && typeof row.name === 'string' ? [fieldOf(row, row.name)] : []));
}

/** The tokens of an OAuth app, for users who have them. */
export const TOKEN_FIELDS: KeyField[] = [
  tokenField('oauth_access_token', 'Access token', false),
  tokenField('oauth_refresh_token', 'Refresh token', true),
];

function tokenField(name: string, label: string, optional: boolean): KeyField {
  return { name, label, description: undefined, optional, secret: true, default: '' };
}

/** The initial values of fields. */
export function defaultsOf(fields: KeyField[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, field.default]));
}

/** The required fields without a value. */
export function missingFields(fields: KeyField[], values: Record<string, string>): KeyField[] {
  return fields.filter(({ name, optional }) => !optional && !values[name]?.trim());
}

/** The entered values of fields. */
export function enteredValues(fields: KeyField[], values: Record<string, string>): Record<string, string> {
  const entered = fields.map(({ name }) => [name, values[name]?.trim() ?? '']);
  return Object.fromEntries(entered.filter(([, value]) => value !== ''));
}

function fieldOf(row: Record<string, unknown>, name: string): KeyField {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const type = text(row.type);
  return {
    name,
    label: text(row.label) ?? name,
    description: text(row.description),
    optional: row.optional === true,
    secret: type === 'password' || looksSecret(name),
    default: text(row.default) ?? '',
  };
}

/** Most apps do not declare which fields are secret, so names that suggest it count as secret. */
function looksSecret(name: string): boolean {
  return /key|token|secret|password|credential/i.test(name);
}
