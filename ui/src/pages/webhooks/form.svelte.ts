// What a person enters about a webhook, and what is wrong with it.
import { faultsByField } from '../../api/faults';
import type { Webhook } from '../../api/types';

const FIELDS = ['url', 'name', 'description', 'concurrency'] as const;
export const MOST_AT_ONCE = 64;

export class WebhookForm {
  url = $state('');
  name = $state('');
  description = $state('');
  concurrency = $state<number | null>(1);
  faults = $state<Record<string, string>>({});

  constructor(webhook?: Webhook) {
    this.url = webhook?.url ?? '';
    this.name = webhook?.name ?? '';
    this.description = webhook?.description ?? '';
    this.concurrency = webhook?.concurrency ?? 1;
  }

  /** Whether what can be seen without the server is right. */
  check(): boolean {
    const faults: Record<string, string> = {};
    if (!/^https?:\/\/[^\s/]/i.test(this.url.trim()))
      faults.url = 'Enter an address that begins with https:// or http://.';
    const many = this.concurrency;
    if (many === null || !Number.isInteger(many) || many < 1 || many > MOST_AT_ONCE) {
      faults.concurrency = `Enter a whole number from 1 to ${MOST_AT_ONCE}.`;
    }
    this.faults = faults;
    return Object.keys(faults).length === 0;
  }

  refused(error: unknown) {
    this.faults = faultsByField(error, FIELDS);
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
