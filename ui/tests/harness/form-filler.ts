// Fills in the form for a new source, by keyboard alone.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Step } from './form-cases';
import { type Focus, Keyboard } from './keyboard';

type Filled<Key extends keyof Step> = Step & { [key in Key]-?: NonNullable<Step[key]> } & { prop: string };

export class FormFiller {
  readonly #page: Page;
  readonly #keys: Keyboard;

  constructor(page: Page) {
    this.#page = page;
    this.#keys = new Keyboard(page);
  }

  /** Moves the focus from the top of the page to the form. */
  async enter() {
    await this.#keys.tabTo('Skip to content');
    await this.#keys.press('Enter');
    await this.#keys.tabTo('Name');
  }

  async fill(steps: Step[]) {
    for (const step of steps) await this.#answer(step);
    const wrong = steps.filter((step) => step.wrong !== undefined);
    if (wrong.length === 0) return;
    await this.#submit();
    // The first invalid field gets the focus.
    await this.#keys.expectFocus({ name: wrong[0]?.prop ?? '', invalid: true });
    for (const step of wrong) await this.#correct(step as Filled<'type' | 'error'>);
  }

  async create(): Promise<string> {
    await this.#submit();
    await this.#page.waitForURL(/\/sources\/dc_\w+$/);
    return /dc_\w+/.exec(this.#page.url())?.[0] ?? '';
  }

  /** Checks that the form of the source shows the same answers. */
  async recognizes(steps: Step[]) {
    for (const { prop = '', pick, picks = [], choose, chooses = [] } of steps) {
      if (pick !== undefined) expect((await this.#keys.tabTo(prop)).value).toContain(pick);
      for (const one of picks) expect(await this.#keys.tabTo(one, prop)).toMatchObject({ checked: true });
      if (choose !== undefined) expect((await this.#keys.tabTo(prop)).value).toBe(choose);
      for (const one of chooses) await this.#keys.tabTo(`Remove ${one}`);
    }
    await this.#page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
  }

  async #submit() {
    await this.#keys.tabTo('Create source');
    await this.#keys.press('Enter');
  }

  async #answer(step: Step) {
    if (step.alert !== undefined) return this.#note(step.alert, step.kind);
    if (step.absent !== undefined) return expect(await this.#page.getByText(step.absent).count()).toBe(0);
    if (step.skip) return;
    if (step.optional) await this.#add(step.prop ?? '');
    else await this.#appears(step.prop ?? '');
    const [fill] = Object.entries(this.#fillers).flatMap(([key, fill]) => (key in step ? [fill] : []));
    if (!fill) throw new Error(`no answer in ${JSON.stringify(step)}`);
    await fill(step as never);
  }

  readonly #fillers = {
    connect: (step: Filled<'connect' | 'account'>) => this.#connect(step),
    fails: (step: Filled<'fails' | 'own'>) => this.#ownAfterError(step),
    chooses: (step: Filled<'chooses'>) => this.#chooseSeveral(step),
    choose: (step: Filled<'choose'>) => this.#chooseOne(step),
    own: ({ prop, own }: Filled<'own'>) => this.#typeOwn(prop, own, 'Tab'),
    wrong: ({ prop, wrong }: Filled<'wrong'>) => this.#type(prop, wrong),
    type: ({ prop, type }: Filled<'type'>) => this.#type(prop, type),
    secret: ({ prop, secret }: Filled<'secret'>) => this.#type(prop, secret),
    pick: ({ prop, pick }: Filled<'pick'>) => this.#select(prop, pick),
    picks: (step: Filled<'picks'>) => this.#check(step),
    answer: (step: Filled<'answer'>) => this.#yesOrNo(step),
    lines: (step: Filled<'lines'>) => this.#list(step),
    pairs: ({ prop, pairs }: Filled<'pairs'>) => this.#rows(prop, 'Add field', prop, pairs),
    json: (step: Filled<'json'>) => this.#json(step),
    every: (step: Filled<'every'>) => this.#every(step),
    cron: (step: Filled<'cron'>) => this.#cron(step),
    sql: ({ prop, sql }: Filled<'sql'>) => this.#type(`${prop}, query`, sql),
    request: (step: Filled<'request'>) => this.#request(step),
    keep: (step: Filled<'keep'>) => this.#keep(step),
  };

  /** Waits for a prop that another adds. The focus stays where it is meanwhile. */
  async #appears(prop: string) {
    const before = await this.#keys.focus();
    await this.#page.locator('.fields bdi').getByText(prop, { exact: true }).first().waitFor();
    expect(await this.#keys.focus()).toMatchObject({ name: before.name, groups: before.groups });
  }

  async #note(text: string, kind = 'neutral') {
    const classes = { info: 'info', warning: 'warn', error: 'bad', neutral: 'neutral' };
    const note = this.#page.getByRole('note').filter({ hasText: text });
    await note.waitFor();
    expect(await note.getAttribute('class')).toContain(classes[kind as keyof typeof classes]);
    expect(await note.locator('input, select, textarea, button').count()).toBe(0);
  }

  /** Adds an optional field, which gets the focus. */
  async #add(prop: string) {
    const button = this.#page
      .getByRole('group', { name: 'Optional fields' })
      .getByRole('button', { name: prop, exact: true });
    if ((await button.count()) === 0) {
      await this.#keys.tab(
        ({ name, groups }) => groups[0] === 'Optional fields' && /^\d+ more$/.test(name),
        'more optional fields',
      );
      await this.#keys.press('Enter');
      await button.waitFor();
    }
    await this.#keys.tabTo(prop, 'Optional fields');
    await this.#keys.press('Enter');
    const isThere = ({ name, groups }: Focus) =>
      !groups.includes('Optional fields') && (name === prop || name.startsWith(`${prop}, `) || groups.includes(prop));
    await expect.poll(async () => isThere(await this.#keys.focus()), { message: `focus in ${prop}` }).toBe(true);
  }

  async #type(name: string, text: string) {
    await this.#keys.tabTo(name);
    await this.#keys.replace(text);
    expect((await this.#keys.focus()).value).toBe(text);
  }

  async #select(name: string, option: string) {
    await this.#keys.tabTo(name);
    await this.#keys.press('Home');
    await this.#keys.arrowUntil(({ value }) => value === option, option);
  }

  async #check({ prop, picks }: Filled<'picks'>) {
    for (const pick of picks) {
      await this.#keys.tabTo(pick, prop);
      await this.#keys.press('Space');
      await this.#keys.expectFocus({ name: pick, checked: true });
    }
  }

  async #yesOrNo({ prop, answer }: Filled<'answer'>) {
    const name = answer ? 'Yes' : 'No';
    await this.#keys.tab(({ groups }) => groups[0] === prop, prop);
    await this.#keys.arrowUntil((focus) => focus.name === name, name);
    await this.#keys.press('Space');
    await this.#keys.expectFocus({ name, checked: true });
  }

  async #list({ prop, lines }: Filled<'lines'>) {
    await this.#keys.tabTo(`${prop}, value 1`);
    for (const [at, line] of lines.entries()) {
      if (at > 0) await this.#keys.press('Enter');
      await this.#keys.expectFocus({ name: `${prop}, value ${at + 1}` });
      await this.#keys.type(line);
    }
  }

  async #rows(prop: string, add: string, label: string, pairs: Record<string, string>) {
    for (const [at, [name, value]] of Object.entries(pairs).entries()) {
      await this.#keys.tabTo(add, prop);
      await this.#keys.press('Enter');
      await this.#keys.expectFocus({ name: `${label}, name ${at + 1}` });
      await this.#keys.type(name);
      await this.#keys.tabTo(`${label}, value ${at + 1}`);
      await this.#keys.type(value);
    }
  }

  async #json({ prop, json }: Filled<'json'>) {
    await this.#keys.tabTo('Edit as JSON', prop);
    await this.#keys.press('Enter');
    await this.#keys.expectFocus({ name: 'Edit as rows' });
    await this.#page.getByRole('textbox', { name: prop }).waitFor();
    await this.#keys.press('Shift+Tab');
    await this.#keys.expectFocus({ name: prop });
    await this.#keys.type(json);
    await this.#keys.press('Escape');
  }

  async #every({ prop, every }: Filled<'every'>) {
    const [amount = '', unit = ''] = every.split(' ');
    await this.#type(`${prop}, interval`, amount);
    await this.#select(`${prop}, unit`, unit);
  }

  async #cron({ prop, cron }: Filled<'cron'>) {
    await this.#select(`${prop}, kind`, 'Cron');
    await this.#type(`${prop}, cron expression`, cron);
    await this.#type(`${prop}, time zone`, 'UTC');
  }

  async #request({ prop, request }: Filled<'request'>) {
    await this.#select(`${prop}, method`, request.method);
    await this.#type(`${prop}, URL`, request.url);
    await this.#rows(prop, 'Add header', `${prop}, headers`, request.headers);
    await this.#keys.tabTo('Body', prop);
    await this.#keys.replace(request.body);
  }

  async #keep({ prop, keep }: Filled<'keep'>) {
    const { value } = await this.#keys.tabTo(prop);
    expect(value).toBe(keep);
  }

  async #chooseOne(step: Filled<'choose'>) {
    await this.#open(step);
    await this.#pickOption(step.choose);
    await this.#keys.expectFocus({ name: step.prop, value: step.choose });
  }

  async #chooseSeveral(step: Filled<'chooses'>) {
    await this.#open(step);
    for (const option of step.chooses) {
      await this.#pickOption(option);
      await this.#page.getByRole('button', { name: `Remove ${option}`, exact: true }).waitFor();
      await this.#keys.expectFocus({ name: step.prop });
    }
    for (const [at, own] of (step.owns ?? []).entries()) {
      await this.#typeOwn(step.prop, own, at + 1 < (step.owns ?? []).length ? 'Enter' : 'Tab');
    }
  }

  /** Opens the list of options, and loads the ones that are needed. */
  async #open({ prop, search, pages = 0 }: Step & { prop: string }) {
    await this.#keys.tabTo(prop);
    if (search === undefined) await this.#keys.press('ArrowDown');
    else await this.#keys.type(search);
    const list = this.#page.getByRole('listbox', { name: prop });
    for (let page = 0; page < pages; page += 1) {
      const count = await this.#settled();
      await this.#keys.arrowUntil(({ option }) => option === 'Load more', 'Load more', 'ArrowUp');
      await this.#keys.press('Enter');
      await expect.poll(() => list.getByRole('option').count()).not.toBe(count);
    }
  }

  /** Waits until the options are loaded. Returns their number. */
  async #settled(): Promise<number> {
    const options = this.#page.getByRole('option');
    await options.first().waitFor();
    return options.count();
  }

  async #pickOption(name: string) {
    await this.#page.getByRole('option', { name, exact: true }).waitFor();
    await this.#keys.arrowUntil(({ option }) => option === name, name);
    await this.#keys.press('Enter');
  }

  /** Types a value that is not an option. It stays when the focus leaves the field. */
  async #typeOwn(prop: string, own: string, key: 'Enter' | 'Tab') {
    await this.#keys.tabTo(prop);
    await this.#keys.replace(own);
    await this.#keys.press(key);
    if (key === 'Tab') expect(await this.#page.locator('.box:focus-within .drop:focus').count()).toBe(0);
    const field = this.#page.getByRole('combobox', { name: prop, exact: true });
    const chosen = this.#page.getByRole('button', { name: `Remove ${own}`, exact: true });
    await expect.poll(async () => (await field.inputValue()) === own || (await chosen.count()) > 0).toBe(true);
  }

  async #ownAfterError({ prop, fails, own }: Filled<'fails' | 'own'>) {
    await this.#keys.tabTo(prop);
    await this.#keys.press('ArrowDown');
    await this.#page.getByRole('alert').filter({ hasText: fails }).waitFor();
    await this.#typeOwn(prop, own, 'Tab');
  }

  async #connect({ account, connect }: Filled<'connect' | 'account'>) {
    const { name = '', ...fields } = connect;
    await this.#keys.tabTo(`Connect ${account}`);
    await this.#keys.press('Enter');
    const dialog = this.#page.getByRole('dialog');
    await dialog.waitFor();
    await this.#keys.tab(({ name }) => name.startsWith('Account name'), 'Account name');
    await this.#keys.type(name);
    for (const [label, value] of Object.entries(fields)) await this.#type(label, value);
    await this.#keys.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    // The focus returns to the field.
    await expect.poll(async () => (await this.#keys.focus()).name).not.toBe('');
  }

  /** Replaces a rejected value. The error is announced with its field. */
  async #correct({ prop, error, type }: Filled<'type' | 'error'>) {
    const { description, invalid } = await this.#keys.tabTo(prop);
    expect([description, invalid]).toEqual([expect.stringContaining(error), true]);
    await this.#keys.replace(type);
    await this.#keys.expectFocus({ invalid: false });
  }
}
