// A step with an action, as a new item of a document.
import { type Prop, propsOf, takesValue } from '../../../forms/prop';
import type { AccountIds, Action } from '../document/action-accounts';

/** The step has the required props: accounts, defaults, or empty values. */
export function actionItem(action: Action, name: string, accounts: AccountIds): string {
  const props = propsOf(action.configurable_props).filter(isAsked);
  const lines = [
    `- name: ${name}`,
    `  action: ${action.key ?? action.id}`,
    ...(props.length > 0 ? ['  props:'] : []),
    ...props.map((prop) => `    ${prop.name}: ${valueText(prop, accounts)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether the user must give a value. */
function isAsked(prop: Prop): boolean {
  return takesValue(prop) && !prop.optional && !prop.hidden && prop.static === undefined;
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
