// The props that a component declares, as a form needs them.
import { type Choice, textOf } from './value';

export type Prop = {
  name: string;
  type: string;
  label: string;
  description: string | undefined;
  optional: boolean;
  secret: boolean;
  default: unknown;
  /** What the component fixes and nobody can change. */
  static: unknown;
  options: Choice[];
  /** Only the component knows what there is to choose from. */
  remoteOptions: boolean;
  /** It can search for it, too. */
  useQuery: boolean;
  /** Its value decides which other props there are. */
  reloadProps: boolean;
  withLabel: boolean;
  hidden: boolean;
  disabled: boolean;
  min: number | undefined;
  max: number | undefined;
  app: string | undefined;
  alertType: string | undefined;
  content: string | undefined;
};

/** What people call the parts that the server makes, where the code gives no name. */
const PLAIN_NAMES: Record<string, string> = {
  '$.interface.http': 'HTTP endpoint',
  '$.interface.apphook': 'Webhook endpoint',
  '$.interface.timer': 'Timer',
};
/** Nobody gives these a value: the server makes it, or it is only shown. */
const VALUELESS = ['$.interface.http', '$.interface.apphook', '$.service.db', 'dir', 'alert'];
/** Of which a form shows nothing at all. */
const SILENT = ['$.service.db', 'dir'];
/** What the server itself has to read is never hidden. */
const NEVER_SECRET = ['app', '$.interface.timer', 'data_store'];

/** Reads the rows of `configurable_props`. What is no prop is left out. */
export function propsOf(rows: readonly unknown[]): Prop[] {
  return rows.flatMap((row) => (isRecord(row) && typeof row.name === 'string' ? [propOf(row, row.name)] : []));
}

function propOf(row: Record<string, unknown>, name: string): Prop {
  const type = text(row.type) ?? 'string';
  return {
    name,
    type,
    label: text(row.label)?.trim() || PLAIN_NAMES[type] || name,
    description: describe(text(row.description)),
    optional: row.optional === true,
    secret: row.secret === true && !NEVER_SECRET.includes(type),
    default: row.default ?? undefined,
    static: row.static ?? undefined,
    options: Array.isArray(row.options) ? row.options.map(choiceOf) : [],
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

export function isShown(prop: Prop): boolean {
  return !prop.hidden && !SILENT.includes(prop.type);
}

/** The type of a list's elements; undefined when it is no list. */
export function elementType(prop: Prop): string | undefined {
  return prop.type.endsWith('[]') ? prop.type.slice(0, -2) : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function choiceOf(option: unknown): Choice {
  if (!isRecord(option) || !('value' in option)) return { label: textOf(option), value: option };
  return { label: text(option.label) ?? textOf(option.value), value: option.value };
}

/** Descriptions are Markdown; they are shown as text, so its marks are taken away where that is simple. */
export function describe(markdown: string | null | undefined): string | undefined {
  const plain = markdown
    ?.replace(/!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, '$1 ($2)')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .trim();
  return plain || undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
