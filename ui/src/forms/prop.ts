// The declared props of a component, as forms use them.
import { type Choice, textOf, type Values } from './value';

export type Prop = {
  name: string;
  type: string;
  label: string;
  /** Markdown. */
  description: string | undefined;
  optional: boolean;
  secret: boolean;
  default: unknown;
  /** A value that the component fixes. */
  static: unknown;
  options: Choice[];
  /** The component provides the options at run time. */
  remoteOptions: boolean;
  /** The component can search its options. */
  useQuery: boolean;
  /** The value determines which other props exist. */
  reloadProps: boolean;
  withLabel: boolean;
  hidden: boolean;
  disabled: boolean;
  min: number | undefined;
  max: number | undefined;
  app: string | undefined;
  alertType: string | undefined;
  /** Markdown. */
  content: string | undefined;
};

/** Default labels of interface props. */
const DEFAULT_LABELS: Record<string, string> = {
  '$.interface.http': 'HTTP endpoint',
  '$.interface.apphook': 'Webhook endpoint',
  '$.interface.timer': 'Timer',
};
/** Types without a user value: the server sets it, or the prop is only shown. */
const VALUELESS = ['$.interface.http', '$.interface.apphook', '$.service.db', 'dir', 'alert'];
/** Types that forms do not show. */
const HIDDEN_TYPES = ['$.service.db', 'dir'];
/** Types whose values the server reads are never secret. */
const NEVER_SECRET = ['app', '$.interface.timer', 'data_store'];

/** Reads the rows of `configurable_props`. Invalid rows are dropped. */
export function propsOf(rows: readonly unknown[]): Prop[] {
  return rows.flatMap((row) => (isRecord(row) && typeof row.name === 'string' ? [propOf(row, row.name)] : []));
}

function propOf(row: Record<string, unknown>, name: string): Prop {
  const type = text(row.type) ?? 'string';
  return {
    name,
    type,
    label: text(row.label)?.trim() || DEFAULT_LABELS[type] || name,
    description: text(row.description)?.trim() || undefined,
    optional: row.optional === true,
    secret: row.secret === true && !NEVER_SECRET.includes(type),
    default: inType(type, row.default ?? undefined),
    static: row.static ?? undefined,
    options: Array.isArray(row.options) ? row.options.map(choiceOf).map((choice) => choiceInType(type, choice)) : [],
    remoteOptions: row.remoteOptions === true,
    useQuery: row.useQuery === true,
    reloadProps: row.reloadProps === true,
    withLabel: row.withLabel === true,
    hidden: row.hidden === true,
    disabled: row.disabled === true,
    min: number(row.min),
    max: number(row.max),
    app: text(row.app),
    alertType: text(row.alertType),
    content: text(row.content),
  };
}

export function takesValue(prop: Prop): boolean {
  return !VALUELESS.includes(prop.type);
}

/** The defaults of visible props. The server applies the defaults of the others. */
export function withDefaults(props: Prop[]): Values {
  const filled = props.filter((prop) => prop.default !== undefined && !prop.optional && takesValue(prop));
  return Object.fromEntries(filled.map((prop) => [prop.name, prop.default]));
}

/** The allowed range of a number; undefined if it has no bounds. */
export function boundsText({ min, max }: Pick<Prop, 'min' | 'max'>): string | undefined {
  if (min !== undefined && max !== undefined) return `From ${min} to ${max}`;
  if (min !== undefined) return `At least ${min}`;
  return max === undefined ? undefined : `At most ${max}`;
}

export function isShown(prop: Prop): boolean {
  return !prop.hidden && !HIDDEN_TYPES.includes(prop.type);
}

/** The element type of a list; undefined for other types. */
export function elementType(prop: Prop): string | undefined {
  return prop.type.endsWith('[]') ? prop.type.slice(0, -2) : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A choice as the server stores it: the value of a text prop is text, even if the component declares a number. */
export function choiceInType(type: string, { label, value }: Choice): Choice {
  return { label, value: inType(type, value) };
}

function inType(type: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => inType(type, element));
  const isText = type === 'string' || type === 'string[]';
  return isText && (typeof value === 'number' || typeof value === 'boolean') ? String(value) : value;
}

function choiceOf(option: unknown): Choice {
  if (!isRecord(option) || !('value' in option)) return { label: textOf(option), value: option };
  return { label: text(option.label) ?? textOf(option.value), value: option.value };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
