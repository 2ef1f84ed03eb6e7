// Adds a step with an action to a document.
import { type Prop, propsOf, takesValue } from '../../../forms/prop';
import type { AccountIds, Action } from './action-accounts';
import { at, readYaml } from './yaml';

/** The document with the step at its end; undefined if its steps are not a block list. */
export function addStep(document: string, action: Action, accounts: AccountIds): string | undefined {
  const { root } = readYaml(document);
  const steps = at(root, 'steps');
  if (!steps) return `${document.trimEnd()}\nsteps:\n${stepText(action, [], accounts, '  ')}`.trimStart();
  if (steps.kind !== 'list' || document[steps.from] !== '-') return undefined;
  const names = steps.items.map((step) => {
    const name = at(step, 'name');
    return name?.kind === 'scalar' ? String(name.value) : '';
  });
  const indent = ' '.repeat(steps.from - document.lastIndexOf('\n', steps.from) - 1);
  const before = document.slice(0, steps.to).trimEnd();
  const after = document.slice(steps.to).replace(/^\s*\n/, '');
  return `${before}\n${stepText(action, names, accounts, indent)}${after}`;
}

function stepText(action: Action, taken: string[], accounts: AccountIds, indent: string): string {
  const props = propsOf(action.configurable_props).filter(isAsked);
  const lines = [
    `- name: ${stepName(action, taken)}`,
    `  action: ${action.key ?? action.id}`,
    ...(props.length > 0 ? ['  props:'] : []),
    ...props.map((prop) => `    ${prop.name}: ${valueText(prop, accounts)}`),
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Whether the user must give a value. */
function isAsked(prop: Prop): boolean {
  return takesValue(prop) && !prop.optional && !prop.hidden && prop.static === undefined;
}

/** A name for the step from the name of the action, with a number if it is taken. */
function stepName({ name }: Action, taken: string[]): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const base = words
    .join('_')
    .replace(/^(?=\d|trigger$|$)/, 'step_')
    .slice(0, 56);
  let free = base;
  for (let number = 2; taken.includes(free); number += 1) free = `${base}_${number}`;
  return free;
}

function valueText(prop: Prop, accounts: AccountIds): string {
  if (prop.type === 'app') {
    const account = accounts[prop.app ?? prop.name];
    return `{ authProvisionId: ${account ?? '""'} }${account ? '' : ` # an account of ${prop.app ?? prop.name}`}`;
  }
  if (prop.default !== undefined) return JSON.stringify(prop.default);
  if (prop.type.endsWith('[]')) return '[]';
  return { object: '{}', boolean: 'false', integer: '0' }[prop.type] ?? '""';
}
