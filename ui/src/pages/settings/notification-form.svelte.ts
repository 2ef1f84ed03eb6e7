// The state of the form for notifications.
import { errorsByField } from '../../api/field-errors';
import type { NotificationSettings } from '../../api/types';

const FIELDS = ['mail_to', 'webhook_url', 'failures', 'webhook_seconds', 'quiet_seconds'] as const;
const MINUTE = 60;

/** The limits of the server. Times are minutes, as in the form. */
export const LIMITS = { failures: [1, 100], webhookMinutes: [0, 1_440], quietMinutes: [1, 10_080] } as const;

export class NotificationForm {
  mail = $state(false);
  mailTo = $state('');
  webhookUrl = $state('');
  sources = $state(true);
  workflows = $state(true);
  webhooks = $state(true);
  failures = $state<number | null>(null);
  webhookMinutes = $state<number | null>(null);
  quietMinutes = $state<number | null>(null);
  errors = $state<Record<string, string>>({});

  constructor(settings: NotificationSettings) {
    this.mail = settings.mail;
    this.mailTo = settings.mail_to ?? '';
    this.webhookUrl = settings.webhook_url ?? '';
    this.sources = settings.sources;
    this.workflows = settings.workflows;
    this.webhooks = settings.webhooks;
    this.failures = settings.failures;
    this.webhookMinutes = settings.webhook_seconds / MINUTE;
    this.quietMinutes = settings.quiet_seconds / MINUTE;
  }

  /** Validates the fields before they are sent. */
  validate(): boolean {
    const errors: Record<string, string> = {};
    const url = this.webhookUrl.trim();
    if (url && !/^https?:\/\/[^\s/]/i.test(url))
      errors.webhook_url = 'Enter a URL that starts with https:// or http://.';
    const mail = this.mailTo.trim();
    if (mail && !/^[^\s@]+@[^\s@]+$/.test(mail)) errors.mail_to = 'Enter one email address.';
    if (!isWithin(this.failures, LIMITS.failures) || !Number.isInteger(this.failures))
      errors.failures = 'Enter a whole number from 1 to 100.';
    if (!isWithin(this.webhookMinutes, LIMITS.webhookMinutes)) errors.webhook_seconds = 'Enter 0 to 1,440 minutes.';
    if (!isWithin(this.quietMinutes, LIMITS.quietMinutes)) errors.quiet_seconds = 'Enter 1 to 10,080 minutes.';
    this.errors = errors;
    return Object.keys(errors).length === 0;
  }

  showErrors(error: unknown) {
    this.errors = errorsByField(error, FIELDS);
  }

  get body() {
    return {
      mail: this.mail,
      mail_to: this.mailTo.trim() || null,
      webhook_url: this.webhookUrl.trim() || null,
      sources: this.sources,
      workflows: this.workflows,
      webhooks: this.webhooks,
      failures: this.failures,
      webhook_seconds: Math.round((this.webhookMinutes ?? 0) * MINUTE),
      quiet_seconds: Math.round((this.quietMinutes ?? 0) * MINUTE),
    };
  }
}

function isWithin(value: number | null, [min, max]: readonly [number, number]): boolean {
  return value !== null && value >= min && value <= max;
}
