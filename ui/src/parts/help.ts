// The pages of the documentation that the console links to. `docs/tests/console-links.test.mjs` checks that the built site has them.

const DOCUMENTATION = '/docs/';

/** Pages below the documentation, with a heading where only a part of the page helps. */
export const HELP = {
  accounts: 'connect/',
  apps: 'connect/#3-set-up-the-client',
  cluster: 'cluster',
  code: 'components',
  'component-errors': 'operate/troubleshooting#components-at-run-time',
  'data-stores': 'guide/polling-state-dedupe#state',
  deliveries: 'guide/sending-webhooks#retries',
  events: 'events',
  import: 'cli/registry',
  keys: 'operate/users-and-keys#named-keys',
  logs: 'guide/streams',
  network: 'operate/production#outbound-network',
  notifications: 'operate/notifications',
  packages: 'guide/npm-packages#errors',
  processes: 'operate/at-run-time',
  registry: 'registry',
  runs: 'runs',
  sandbox: 'security#the-sandbox-of-a-component',
  search: 'guide/searching',
  sessions: 'operate/users-and-keys#sessions',
  settings: 'operate/limits-and-settings',
  signatures: 'guide/sending-webhooks#verify-the-signature',
  sources: 'guide/first-source',
  subscriptions: 'guide/sending-webhooks#subscriptions',
  traces: 'guide/traces',
  users: 'operate/users-and-keys#manage-users',
  webhooks: 'guide/sending-webhooks',
  'workflow-document': 'workflows',
  'workflow-events': 'sending',
} as const;

export type HelpTopic = keyof typeof HELP;

export const helpAddress = (topic: HelpTopic) => `${DOCUMENTATION}${HELP[topic]}`;

/** Messages of errors that a page explains, the most specific first. */
const EXPLAINED: [RegExp, HelpTopic][] = [
  [/packages? .*(could not be fetched|does not exist|has no version|cannot be used|native add-on)/i, 'packages'],
  [/Requires net access|the address is private/, 'network'],
  [/NotCapable|PermissionDenied|Requires \w+ access/, 'sandbox'],
  [
    /^(Timeout|OutOfMemory|(Disk|Thread|Report|Emit|Log)Limit|EmitTooLarge|ProcessDied)\b|component process died/,
    'component-errors',
  ],
];

/** The topic that explains an error, if there is one. */
export const helpOnError = (message: string) => EXPLAINED.find(([pattern]) => pattern.test(message))?.[1];
