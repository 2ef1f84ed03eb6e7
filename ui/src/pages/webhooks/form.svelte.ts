// The state of the webhook form.
import { errorsByField } from '../../api/field-errors';
import type { Webhook } from '../../api/types';

const FIELDS = ['url', 'name', 'description', 'concurrency'] as const;
export const MAX_CONCURRENCY = 64;

export class WebhookForm {
  url = $state('');
  name = $state('');
  description = $state('');
  concurrency = $state<number | null>(1);
  errors = $state<Record<string, string>>({});

  constructor(webhook?: Webhook) {
    this.url = webhook?.url ?? '';
    this.name = webhook?.name ?? '';
    this.description = webhook?.description ?? '';
    this.concurrency = webhook?.concurrency ?? 1;
  }

  /** Validates the fields before they are sent. */
  validate(): boolean {
    const errors: Record<string, string> = {};
    if (!/^https?:\/\/[^\s/]/i.test(this.url.trim())) errors.url = 'Enter a URL that starts with https:// or http://.';
    const concurrency = this.concurrency;
    if (concurrency === null || !Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY) {
      errors.concurrency = `Enter a whole number from 1 to ${MAX_CONCURRENCY}.`;
    }
    this.errors = errors;
    return Object.keys(errors).length === 0;
  }

  showErrors(error: unknown) {
    this.errors = errorsByField(error, FIELDS);
  }

  get body() {
    return {
      url: this.url.trim(),
      name: this.name.trim() || null,
      description: this.description.trim() || null,
      concurrency: this.concurrency,
    };
  }
}
