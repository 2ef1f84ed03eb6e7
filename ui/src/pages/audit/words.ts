// Entries of the audit log in words, and the pages of their targets.
import type { AuditEntry } from '../../api/types';

/** The subjects of actions, for the filter. An action begins with its subject. */
export const SUBJECTS: Record<string, string> = {
  account: 'Accounts',
  action: 'Actions',
  key: 'API keys',
  app: 'Apps',
  auto_subscription: 'Automatic subscriptions',
  component: 'Components',
  data_store: 'Data stores',
  delivery: 'Deliveries',
  event: 'Events',
  log: 'Logs',
  notification: 'Notifications',
  registry: 'Registry',
  run: 'Runs',
  saved_event: 'Saved events',
  server: 'Server',
  session: 'Sessions',
  source: 'Sources',
  subscription: 'Subscriptions',
  tool: 'Tools',
  user: 'Users',
  webhook: 'Webhooks',
  workflow: 'Workflows',
};

const VERBS: Record<string, string> = {
  activate: 'Activated',
  cancel: 'Cancelled',
  connect: 'Connected',
  create: 'Created',
  deactivate: 'Deactivated',
  delete: 'Deleted',
  deploy: 'Deployed',
  disable: 'Disabled',
  enable: 'Enabled',
  end: 'Ended',
  publish: 'Published',
  reconnect: 'Reconnected',
  register: 'Registered',
  remove: 'Removed',
  replay: 'Replayed',
  resume: 'Resumed',
  rollback: 'Rolled back',
  run: 'Ran',
  test: 'Tested',
  unpublish: 'Unpublished',
  update: 'Updated',
};

/** Actions that are not a verb and its object. */
const PHRASES: Record<string, string> = {
  'app.set_oauth_client': 'Set OAuth client of app',
  'delivery.retry': 'Retried delivery of webhook',
  'event.delete': 'Deleted events of',
  'event.replay': 'Replayed events of',
  'log.delete': 'Deleted logs of',
  'notification.rotate_secret': 'Rotated notification secret of',
  'notification.update': 'Updated notifications of',
  'registry.import': 'Imported components',
  'registry.publish': 'Published to the registry:',
  'registry.starter_set': 'Registered starter components',
  'registry.undo_import': 'Undid import',
  'registry.unpublish': 'Removed from the registry:',
  'saved_event.delete': 'Deleted saved event of',
  'saved_event.save': 'Saved event of',
  'server.restore': 'Restored the server from a backup',
  'server.rotate_master_key': 'Rotated the master key',
  'session.sign_in': 'Signed in',
  'session.sign_in_failed': 'Failed sign-in',
  'session.sign_out': 'Signed out',
  'user.link_identity': 'Linked to single sign-on:',
  'user.rotate_key': 'Rotated API key of',
  'user.sign_up': 'Signed up',
  'webhook.rotate_secret': 'Rotated secret of webhook',
};

const plain = (word: string) => word.replaceAll('_', ' ');

/** The action as a phrase that ends before the target. */
export function phrase(action: string): string {
  const known = PHRASES[action];
  if (known !== undefined) return known;
  const [subject = '', verb = ''] = action.split('.');
  return `${VERBS[verb] ?? plain(verb)} ${subject === 'key' ? 'API key' : plain(subject)}`.trim();
}

const CREDENTIALS: Record<string, string> = {
  key: 'API key',
  named_key: 'Named key',
  session: 'Console',
  oidc: 'Single sign-on',
  machine: 'On the server',
};

/** How the author was authenticated. */
export function credential({ credential, credential_name }: AuditEntry['actor']): string {
  const text = CREDENTIALS[credential] ?? '';
  return credential_name == null ? text : `${text} ${credential_name}`;
}

/** The text of the target; empty for a target without name and id, and for sessions, whose ids say nothing to people. */
export function targetText({ kind, id, name }: AuditEntry['target']): string {
  return name || (kind === 'session' ? '' : id);
}

/** The page of the target, if it still exists and belongs to this user. */
export function targetHref({ target, user_id }: AuditEntry, me: { id: string; operator: boolean }): string | undefined {
  const { kind, id, name, exists } = target;
  if (exists !== true) return undefined;
  if (kind === 'app') return `/apps/${encodeURIComponent(name)}`;
  if (kind === 'user') return me.operator ? `/users?q=${encodeURIComponent(name)}` : '/settings';
  if (user_id !== me.id) return undefined;
  switch (kind) {
    case 'source':
      return `/sources/${id}`;
    case 'workflow':
      return `/workflows/${id}`;
    case 'webhook':
      return `/webhooks/${id}`;
    case 'delivery':
      return `/deliveries/${id}`;
    case 'account':
      return '/accounts';
    case 'named_key':
    case 'session':
      return '/settings';
    default:
      return undefined;
  }
}

/** The details as short texts, such as "Fields: name, url". */
export function details(entry: AuditEntry): string[] {
  return Object.entries(entry.details as Record<string, unknown>)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const text =
        name.endsWith('_at') && typeof value === 'number' ? new Date(value).toLocaleString() : valueText(value);
      const label = plain(name);
      return `${label.charAt(0).toUpperCase()}${label.slice(1)}: ${text}`;
    });
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
