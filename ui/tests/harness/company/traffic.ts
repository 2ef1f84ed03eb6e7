// The traffic of the company.
import { vi } from 'vitest';
import type { Company } from './types';

/** The relative traffic of sources and workflows. */
export const WEIGHTS: Record<string, number> = {
  'orders-from-the-shop': 40,
  'stripe-payments': 34,
  'parcel-tracking': 22,
  'github-pushes': 6,
  'support-mail': 5,
  'newsletter-sign-ups': 3,
  'product-reviews': 2,
  'stock-levels': 12,
  'ship-paid-orders': 36,
};

const LAMPS = ['Anker', 'Boje', 'Kutter', 'Leuchtturm', 'Mole'];
const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Niklaus'];
const pick = <T>(list: T[], index: number): T => list[index % list.length] as T;

export function order(index: number) {
  const items = LAMPS.slice(0, 1 + (index % 4)).map((lamp) => ({ lamp, price: 79 + lamp.length * 10, quantity: 1 }));
  return {
    id: 20_480 + index,
    customer: { name: pick(NAMES, index), city: pick(['Kiel', 'Husum', 'Emden'], index) },
    items,
    total: index === 9 ? 1_290 : items.reduce((sum, { price }) => sum + price, 0),
    paid: true,
  };
}

const payment = (index: number) => ({
  type: index % 7 === 3 ? 'charge.refunded' : 'charge.succeeded',
  amount: 7_900 + 1_000 * (index % 9),
  currency: 'eur',
  customer: pick(NAMES, index),
});

export async function send(company: Company, source: string, body: unknown) {
  const url = company.endpoints[source];
  if (!url) throw new Error(`${source} has no endpoint`);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${source} answered ${answer.status}`);
}

export async function sendTraffic(company: Company): Promise<Pick<Company, 'run' | 'delivery'>> {
  for (let index = 0; index < 14; index += 1) await send(company, 'orders-from-the-shop', order(index));
  for (let index = 0; index < 18; index += 1) await send(company, 'stripe-payments', payment(index));
  for (let index = 0; index < 6; index += 1) {
    await send(company, 'github-pushes', {
      ref: pick(['refs/heads/main', 'refs/heads/checkout'], index),
      pusher: pick(NAMES, index).toLowerCase(),
      commits: 1 + (index % 3),
    });
    await send(
      company,
      'parcel-tracking',
      index === 4
        ? { state: 'lost' }
        : { parcel: `HP2048${index}`, state: pick(['packed', 'on its way', 'delivered'], index) },
    );
    await send(company, 'newsletter-sign-ups', { email: `${pick(NAMES, index).toLowerCase()}@example.com` });
  }
  await send(company, 'support-mail', { from: 'ada@example.com', subject: 'The switch of my Boje is loose' });
  await send(company, 'support-mail', { from: 'alan@example.com', subject: 'Where is order 20484?' });
  await send(company, 'product-reviews', { stars: 5, text: 'Warm light, and it survived the move' });
  await send(company, 'product-reviews', { stars: 3, text: 'Good lamp, short cable' });

  // Every order is processed, and heavy parcels are rejected.
  const { webhooks, workflows } = company;
  return {
    run: await newest(company, `/workflows/${workflows['ship-paid-orders']}/runs`, 14),
    delivery: await newest(company, `/webhooks/${webhooks.warehouse}/deliveries?state=failed`, 2),
  };
}

/** Waits until a list has `many` items and returns the id of the newest. */
async function newest({ person }: Company, path: string, many: number): Promise<string> {
  type Listed = { data: { id: string }[]; page_info: { total_count: number } };
  const list = await vi.waitUntil(
    async () => {
      const found = await person.get<Listed>(path);
      return found.page_info.total_count >= many && found;
    },
    { timeout: 80_000, interval: 200 },
  );
  return list.data[0]?.id ?? '';
}
