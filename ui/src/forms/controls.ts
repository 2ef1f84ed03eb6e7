// The control for each type of prop.
import type { Component } from 'svelte';
import AccountControl from './fields/AccountControl.svelte';
import BooleanControl from './fields/BooleanControl.svelte';
import ChoiceControl from './fields/ChoiceControl.svelte';
import ChoicesControl from './fields/ChoicesControl.svelte';
import DataStoreControl from './fields/DataStoreControl.svelte';
import EndpointControl from './fields/EndpointControl.svelte';
import type { FieldProps } from './fields/field';
import ListControl from './fields/ListControl.svelte';
import ObjectControl from './fields/ObjectControl.svelte';
import RemoteControl from './fields/RemoteControl.svelte';
import RequestControl from './fields/RequestControl.svelte';
import SecretControl from './fields/SecretControl.svelte';
import SqlControl from './fields/SqlControl.svelte';
import TextControl from './fields/TextControl.svelte';
import TimerControl from './fields/TimerControl.svelte';
import { elementType, type Prop } from './prop';

export type Control = {
  component: Component<FieldProps>;
  /** The control has multiple inputs, so the label names a group. */
  group: boolean;
};

const BY_TYPE: Record<string, Control> = {
  app: { component: AccountControl, group: false },
  boolean: { component: BooleanControl, group: true },
  object: { component: ObjectControl, group: true },
  data_store: { component: DataStoreControl, group: false },
  http_request: { component: RequestControl, group: true },
  sql: { component: SqlControl, group: true },
  '$.interface.timer': { component: TimerControl, group: true },
  '$.interface.http': { component: EndpointControl, group: true },
  '$.interface.apphook': { component: EndpointControl, group: true },
};
const SERVER_TYPES = ['app', '$.interface.timer', '$.interface.http', '$.interface.apphook', 'data_store'];

export function controlOf(prop: Prop): Control {
  const byType = BY_TYPE[prop.type];
  const multiple = elementType(prop) !== undefined;
  if (byType && SERVER_TYPES.includes(prop.type)) return byType;
  if (prop.secret) return { component: SecretControl, group: false };
  if (prop.remoteOptions) return { component: RemoteControl, group: multiple };
  if (prop.options.length > 0)
    return multiple ? { component: ChoicesControl, group: true } : { component: ChoiceControl, group: false };
  if (byType) return byType;
  return multiple ? { component: ListControl, group: true } : { component: TextControl, group: false };
}
