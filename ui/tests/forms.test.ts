import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const run = 'async run(event) { this.$emit(event); }';
const component = (props: string, rest = '') =>
  `export default { name: "Form", version: "0.0.1", ${rest} props: { ${props} }, ${run} };`;

/** Saves the code and opens the form for a source that runs it. */
async function formOf(who: Person, code: string): Promise<Page> {
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: code });
  return signedIn(browser, who, `/sources/new?component=${data.id}`);
}
/** Creates the source and returns its values. */
async function create(page: Page, who: Person): Promise<Record<string, unknown>> {
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_/);
  return valuesOf(who, idIn(page));
}
const idIn = (page: Page) => /dc_\w+/.exec(page.url())?.[0] ?? '';
async function valuesOf(who: Person, id: string) {
  return (await who.get<{ data: { configured_props: Record<string, unknown> } }>(`/sources/${id}`)).data
    .configured_props;
}

test('every type of prop has a field, and its value reaches the source', async () => {
  const who = await server.user('every');
  const page = await formOf(
    who,
    component(`
      note: { type: "alert", alertType: "warning", content: "Mind the quota." },
      timer: { type: "$.interface.timer", label: "Schedule" },
      db: "$.service.db", folder: "dir", http: "$.interface.http",
      text: { type: "string", label: "Text", description: "See [the docs](https://example.com)." },
      count: { type: "integer", label: "Count" },
      flag: { type: "boolean", label: "Flag" },
      secret: { type: "string", label: "Secret", secret: true },
      colour: { type: "string", label: "Colour", options: [{ label: "Red", value: "r" }, { label: "Green", value: "g" }] },
      days: { type: "string[]", label: "Days", options: ["Mon", "Tue", "Wed"] },
      names: { type: "string[]", label: "Names" },
      numbers: { type: "integer[]", label: "Numbers" },
      fields: { type: "object", label: "Fields" },
      any: { type: "any", label: "Anything" },
      store: { type: "data_store", label: "Store" },
      request: { type: "http_request", label: "Request" },
      query: { type: "sql", label: "Query" },
      extra: { type: "string", label: "Extra", optional: true },
      size: { type: "integer", label: "Size", optional: true, default: 50 },
      unused: { type: "string", label: "Unused", optional: true },
    `),
  );
  const errors = pageErrors(page);
  await page.getByRole('note').getByText('Mind the quota.').waitFor();
  const hint = await page.getByLabel('Text', { exact: true }).getAttribute('aria-describedby');
  expect(await page.locator(`[id="${hint}"]`).textContent()).toBe('See the docs.');
  expect(await page.getByRole('link', { name: 'the docs' }).getAttribute('href')).toBe('https://example.com/');

  await page.getByLabel('Schedule, interval').fill('15');
  await page.getByLabel('Schedule, unit').selectOption('minutes');
  await page.getByLabel('Text', { exact: true }).fill('two\nlines');
  await page.getByLabel('Count').fill('3');
  await page.getByRole('group', { name: 'Flag' }).getByLabel('No').check();
  await page.getByLabel('Secret', { exact: true }).fill('hush');
  await page.getByLabel('Colour', { exact: true }).selectOption('Green');
  await page.getByLabel('Mon').check();
  await page.getByLabel('Wed').check();
  await page.getByLabel('Names, value 1').fill('Ada');
  await page.getByLabel('Names, value 1').press('Enter');
  await page.getByLabel('Names, value 2').fill('Grace');
  await page.getByLabel('Numbers, value 1').fill('7');
  await page.getByRole('group', { name: 'Fields', exact: true }).getByRole('button', { name: 'Add field' }).click();
  await page.getByLabel('Fields, name 1').fill('deep');
  await page.getByLabel('Fields, value 1').fill('{"a": [1]}');
  await page.getByLabel('Anything').fill('[1, "two"]');
  await page.getByLabel('Store').fill('orders');
  await page.getByLabel('Request, method').selectOption('POST');
  await page.getByLabel('Request, URL').fill('https://example.com/in');
  await page.getByRole('button', { name: 'Add header' }).click();
  await page.getByLabel('Request, headers, name 1').fill('x-from');
  await page.getByLabel('Request, headers, value 1').fill('sluice');
  await page.getByLabel('Body').fill('{"a":1}');
  await page.getByLabel('Query, query').fill('select $1');
  await page.getByLabel('Parameters (JSON list)').fill('[4]');
  await page.getByRole('button', { name: 'Extra' }).click();
  await page.getByLabel('Extra', { exact: true }).fill('more');
  await page.getByRole('button', { name: 'Size' }).click();
  expect(await page.getByLabel('Size', { exact: true }).inputValue()).toBe('50');

  const values = await create(page, who);
  expect(values).toMatchObject({
    timer: { interval_seconds: 900, cron: null },
    text: 'two\nlines',
    count: 3,
    flag: false,
    secret: '********',
    colour: 'g',
    days: ['Mon', 'Wed'],
    names: ['Ada', 'Grace'],
    numbers: [7],
    fields: { deep: { a: [1] } },
    any: [1, 'two'],
    store: 'orders',
    request: {
      method: 'POST',
      url: 'https://example.com/in',
      headers: [{ name: 'x-from', value: 'sluice' }],
      body: '{"a":1}',
    },
    query: { query: 'select $1', params: [4] },
    extra: 'more',
    size: 50,
  });
  expect(values).not.toHaveProperty('unused');
  expect(errors).toEqual([]);
});

test('options of the component are loaded by page, by search, and again when another value changes', async () => {
  const who = await server.user('options');
  const page = await formOf(
    who,
    component(`
      team: { type: "string", label: "Team", options: ["red", "blue"] },
      channel: { type: "string", label: "Channel", async options({ page }) {
        if (page > 1) return [];
        return [1, 2].map((n) => ({ label: \`\${this.team} channel \${page * 2 + n}\`, value: \`\${this.team}-\${page * 2 + n}\` }));
      } },
      people: { type: "string[]", label: "People", useQuery: true, async options({ query }) {
        return ["Ada", "Grace", "Edsger"].filter((name) => !query || name.toLowerCase().includes(query.toLowerCase()));
      } },
      broken: { type: "string", label: "Broken", async options() { throw new Error("the service is away"); } },
    `),
  );
  await page.getByLabel('Team').selectOption('red');
  const channel = page.getByRole('combobox', { name: 'Channel' });
  await channel.click();
  await page.getByRole('option', { name: 'red channel 1' }).waitFor();
  await page.getByRole('option', { name: 'Load more' }).click();
  await page.getByRole('option', { name: 'red channel 3' }).waitFor();
  await channel.press('Escape');

  await page.getByLabel('Team').selectOption('blue');
  await channel.click();
  await page.getByRole('option', { name: 'blue channel 2', exact: true }).waitFor();
  expect(await page.getByRole('option', { name: 'red channel' }).count()).toBe(0);
  await channel.press('ArrowDown');
  await channel.press('ArrowDown');
  await channel.press('Enter');
  await expect.poll(() => channel.inputValue()).toBe('blue channel 2');

  const people = page.getByRole('combobox', { name: 'People' });
  await people.click();
  await page.getByRole('option', { name: 'Edsger' }).waitFor();
  await people.fill('gra');
  await expect.poll(() => page.getByRole('option', { name: 'Ada' }).count()).toBe(0);
  await page.getByRole('option', { name: 'Grace' }).click();
  await people.fill('Somebody else');
  await page.getByRole('option', { name: 'Use “Somebody else”' }).click();
  await page.getByRole('button', { name: 'Remove Grace' }).waitFor();

  const broken = page.getByRole('combobox', { name: 'Broken' });
  await broken.click();
  await page.getByText('the service is away').waitFor();
  await broken.fill('typed');
  await broken.press('Enter');

  // Typed text is the value, also if an option contains it.
  await channel.fill('blue');
  await channel.press('Enter');
  expect(await channel.inputValue()).toBe('blue');
  await channel.fill('blue channel');
  await channel.press('Tab');
  expect(await channel.inputValue()).toBe('blue channel');
  await channel.fill('blue channel 2');
  await page.getByRole('option', { name: 'blue channel 2', exact: true }).waitFor();
  await channel.press('Enter');
  await expect.poll(() => channel.inputValue()).toBe('blue channel 2');

  const values = await create(page, who);
  expect(values).toMatchObject({
    channel: { __lv: { label: 'blue channel 2', value: 'blue-2' } },
    people: ['Grace', 'Somebody else'],
    broken: 'typed',
  });
});

test('a value that adds props reloads the form and keeps entered values', async () => {
  const who = await server.user('reload');
  const page = await formOf(
    who,
    component(
      `kind: { type: "string", label: "Kind", options: ["mail", "chat"], reloadProps: true }, title: { type: "string", label: "Title" },`,
      `async additionalProps() {
        if (this.kind === "mail") return { address: { type: "string", label: "Address" } };
        return { room: { type: "string", label: "Room", default: "lobby" } };
      },`,
    ),
  );
  await page.getByLabel('Title').fill('kept');
  await page.getByLabel('Kind').selectOption('mail');
  await page.getByLabel('Address').fill('a@example.com');
  await page.getByLabel('Kind').selectOption('chat');
  await page.getByLabel('Room').waitFor();
  expect(await page.getByLabel('Room').inputValue()).toBe('lobby');
  expect(await page.getByLabel('Address').count()).toBe(0);
  expect(await page.getByLabel('Title').inputValue()).toBe('kept');
  expect(await create(page, who)).toEqual({ kind: 'chat', title: 'kept', room: 'lobby' });

  await page.goto(`${server.url}/sources/${idIn(page)}/configuration`);
  await expect.poll(() => page.getByLabel('Room').inputValue()).toBe('lobby');
  await page.getByLabel('Room').fill('kitchen');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Configuration saved');
  expect(await valuesOf(who, idIn(page))).toEqual({ kind: 'chat', title: 'kept', room: 'kitchen' });
});

test('invalid values show errors at their fields', async () => {
  const who = await server.user('wrong');
  const page = await formOf(
    who,
    component(
      `count: { type: "integer", label: "Count", min: 1 }, word: { type: "string", label: "Word" }, timer: { type: "$.interface.timer", label: "Schedule" },`,
    ),
  );
  await page.getByRole('button', { name: 'Create source' }).click();
  await expect.poll(() => page.getByText('This field is required.').count()).toBe(2);
  await expect.poll(() => page.getByLabel('Count').evaluate((field) => field === document.activeElement)).toBe(true);

  await page.getByLabel('Count').fill('0');
  await page.getByLabel('Word').fill('x');
  await page.getByLabel('Schedule, kind').selectOption('Cron');
  await page.getByLabel('Schedule, cron expression').fill('every day');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByText('Count must be at least 1.').waitFor();
  await page.getByText(/not a valid cron expression/).waitFor();
  expect(await page.getByLabel('Count').getAttribute('aria-invalid')).toBe('true');

  await page.getByLabel('Schedule, cron expression').fill('30 9 * * 1-5');
  await page.getByLabel('Schedule, time zone').fill('Europe/Berlin');
  await page.getByLabel('Count').fill('2');
  await page.getByText(/^Next run/).waitFor();
  expect(await create(page, who)).toMatchObject({
    count: 2,
    timer: { cron: '30 9 * * 1-5', timezone: 'Europe/Berlin' },
  });
});

test('a stored secret is kept unless it is replaced', async () => {
  const who = await server.user('secret');
  const code = component(
    `http: "$.interface.http", key: { type: "string", label: "Key", secret: true }, word: { type: "string", label: "Word" },`,
  ).replace(run, 'async run() { this.$emit({ key: this.key, word: this.word }); }');
  const source = await who.source('secret', code, { key: 'first', word: 'a' });
  const page = await signedIn(browser, who, `/sources/${source.id}/configuration`);
  const emitted = async () => {
    await who.post(`/sources/${source.id}/run`);
    const { data } = await who.get<{ data: { event: unknown }[] }>(`/sources/${source.id}/event_summaries?limit=1`);
    return data[0]?.event;
  };
  await page.getByPlaceholder('Stored. Type to replace.').waitFor();
  await page.getByText(/^curl -X POST/).waitFor();
  await page.getByLabel('Word').fill('b');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Configuration saved');
  await expect.poll(emitted).toEqual({ key: 'first', word: 'b' });

  await page.getByLabel('Key').fill('second');
  await page.getByRole('button', { name: 'Keep stored value' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  await expect.poll(emitted).toEqual({ key: 'second', word: 'b' });
});

test('the configuration sends only changes, keeps an inactive source inactive, and sets the retention', async () => {
  const who = await server.user('retention');
  const source = await who.source('retention', component(`word: { type: "string", label: "Word" },`), { word: 'a' });
  await who.put(`/sources/${source.id}`, { active: false });
  const page = await signedIn(browser, who, `/sources/${source.id}/configuration`);
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.postDataJSON());
  });
  await page.getByLabel('Max events').fill('none');
  await page.getByText('Enter a whole number of 1 or more, or leave empty.').waitFor();
  await page.getByLabel('Max events').fill('20');
  await page.getByLabel('Max age').fill('2');
  await page.getByLabel('Age unit').selectOption('days');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Configuration saved');
  expect(sent).toEqual([{ active: false, retention: { max_events: 20, max_age_seconds: 172_800 } }]);
  const { data } = await who.get<{ data: { active: boolean } }>(`/sources/${source.id}`);
  expect(data.active).toBe(false);

  await page.getByLabel('Word').fill('changed');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('dialog').getByText('Discard unsaved changes?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Word').inputValue()).toBe('changed');
});

test('unsaved configuration is kept and merged with a change made elsewhere', async () => {
  const who = await server.user('two-windows');
  const text = (name: string, label: string) => `${name}: { type: "string", label: "${label}", optional: true },`;
  const before = component(`${text('mine', 'Mine')} ${text('theirs', 'Theirs')} ${text('odd', 'Odd')}`);
  const source = await who.source('two-windows', before, { mine: 'a', theirs: 'b', odd: 'c' });
  const page = await signedIn(browser, who, `/sources/${source.id}/configuration`);
  const changed = page.getByText('The source was changed elsewhere since you started editing.');
  await page.getByLabel('Mine', { exact: true }).fill('typed');
  await page.getByLabel('Odd', { exact: true }).fill('typed, too');
  await who.put(`/sources/${source.id}`, { configured_props: { mine: 'a', theirs: 'newer', odd: 'c' } });

  // The page has not been notified, so it checks before saving.
  await page.getByRole('button', { name: 'Save' }).click();
  await changed.waitFor();
  expect(await page.getByLabel('Theirs', { exact: true }).inputValue()).toBe('newer');
  expect(await page.getByLabel('Mine', { exact: true }).inputValue()).toBe('typed');
  expect((await valuesOf(who, source.id)).mine).toBe('a');

  const after = component(`${text('mine', 'Mine')} ${text('theirs', 'Theirs')} ${text('more', 'More')}`);
  await who.put(`/sources/${source.id}`, { component_code: after });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Fields that no longer exist: Odd.').waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).waitFor();
  expect(await page.getByLabel('Mine', { exact: true }).inputValue()).toBe('typed');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Configuration saved');
  await changed.waitFor({ state: 'detached' });
  expect(await valuesOf(who, source.id)).toEqual({ mine: 'typed', theirs: 'newer' });

  await page.getByLabel('Mine', { exact: true }).fill('again');
  await who.put(`/sources/${source.id}`, { configured_props: { mine: 'last', theirs: 'newer' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Load latest version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Load latest version' }).click();
  await expect.poll(() => page.getByLabel('Mine', { exact: true }).inputValue()).toBe('last');
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
});

test('the form and the configuration have no serious accessibility violations in light and dark', async () => {
  const who = await server.user('axe');
  const code = component(`
    http: "$.interface.http", timer: "$.interface.timer", text: { type: "string" }, flag: "boolean", list: "string[]", fields: "object",
    choice: { type: "string", options: ["a"] }, asked: { type: "string", async options() { return ["a"]; } }, request: "http_request", query: "sql",
    extra: { type: "string", optional: true },
  `);
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: code });
  const source = await who.source(
    'axe',
    component('http: "$.interface.http", timer: "$.interface.timer", word: { type: "string" },'),
    { word: 'a' },
  );
  const page = await signedIn(browser, who, `/sources/new?component=${data.id}`);
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByText('This field is required.').first().waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`${server.url}/sources/${source.id}/configuration`);
  await page.getByLabel('word').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
