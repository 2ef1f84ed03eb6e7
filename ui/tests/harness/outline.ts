// The outline of the workflow editor, as a user finds it.
import type { Locator, Page } from 'playwright-core';
import { Person, type Server } from './server';

const SHOUT = `export default { key: "acme-shout", name: "Shout", version: "0.0.1", type: "action",
  props: {
    text: { type: "string", label: "Text" },
    voice: { type: "string", label: "Voice", async options() { return ["deep", "high"]; } },
    password: { type: "string", label: "Password", secret: true, optional: true },
  },
  async run({ $ }) { $.export("password", this.password ?? null); return this.text.toUpperCase() + " in a " + this.voice + " voice"; } };`;

/** Publishes the action acme-shout for all users, unless another file did on this server. */
export async function publishShout(server: Server) {
  try {
    await new Person(server, server.key).post('/components/registry', { component_code: SHOUT });
  } catch (error) {
    if (!String(error).includes('already published')) throw error;
  }
}

export const voice = (page: Page) => page.getByRole('combobox', { name: 'Voice' });
/** The field of an expression. */
export const expression = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
export const documentEditor = (page: Page) => page.getByRole('textbox', { name: 'Workflow document' });
export const steps = (page: Page) => page.getByRole('list', { name: /^Steps/ });
export const card = (page: Page, name: string) => steps(page).getByRole('button', { name: new RegExp(`^${name}`) });
export const titles = (page: Page) => steps(page).locator('.title').allTextContents();
export const backToOutline = (page: Page) => page.getByRole('button', { name: 'Back to the outline' });
export const testPanel = (page: Page, name: string) => page.getByRole('region', { name: `Test of ${name}` });
/** The id of the workflow of a page, after its deployment. */
export const workflowId = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Drags a card to the lower half of another one. */
export async function dragTo(page: Page, from: Locator, to: Locator) {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (!start || !end) throw new Error('no box');
  await page.mouse.move(start.x + 80, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(start.x + 80, start.y + start.height / 2 + 15);
  await page.mouse.move(end.x + 80, end.y + end.height - 4, { steps: 4 });
  await page.mouse.up();
}

/** Chooses a command from the menu of a card. */
export async function choose(page: Page, name: string, command: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: command }).click();
}
