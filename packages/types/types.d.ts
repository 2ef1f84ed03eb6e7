// The types of components: their props, `this`, and the `$` of actions and steps.

/** How repeated events are recognized by the `id` of an emit. */
export type Dedupe = "unique" | "greatest" | "last";

/** The metadata of an emitted event. */
export interface EmitMetadata {
  /** Identifies the event, for `dedupe`. */
  id?: string | number | bigint | null;
  /** The channel. It must not begin with `$`. */
  name?: string | null;
  /** Shown in lists of events. */
  summary?: string | null;
  /** The time of the event, in milliseconds since the epoch. Events of a run are ordered by it. */
  ts?: number | string | Date | null;
  /** The event is delivered at this time, in milliseconds since the epoch, and not before. */
  delivery_ts?: number | string | Date | null;
}

/** `this.$emit`. A component with `dedupe` has to give each event an `id`. */
export type Emit<D> = [D] extends [Dedupe]
  ? (event: unknown, metadata: EmitMetadata & { id: string | number | bigint }) => Promise<void>
  : (event: unknown, metadata?: EmitMetadata | null) => Promise<void>;

/** A request to the endpoint of a source. */
export interface HttpRequest {
  method: string;
  path: string;
  /** The values of repeated names are arrays. */
  query: Record<string, string | string[]>;
  /** By names in lower case. */
  headers: Record<string, string>;
  /** Parsed JSON or form, otherwise text. */
  body: any;
  /** The exact body. Signatures are computed of it. */
  bodyRaw: string;
  /** Whether `bodyRaw` is base64, because the body is not UTF-8. */
  isBase64?: boolean;
  url: string;
  client_ip: string;
}

/** A tick of a timer. */
export interface TimerTick {
  /** In seconds since the epoch. */
  timestamp: number;
  interval_seconds?: number | null;
  cron?: string | null;
  timezone?: string;
}

export interface HttpResponse {
  /** From 100 to 599. */
  status: number | `${number}`;
  headers?: Record<string, string | string[] | undefined | null> | Headers;
  /** An object is sent as JSON. */
  body?: unknown;
}

/** The prop `$.interface.http`. */
export interface HttpInterface {
  /** The URL. */
  endpoint: string;
  /** Answers the request, if the prop has `customResponse: true`. */
  respond(response: HttpResponse): Promise<void>;
}

/** The prop `$.interface.timer`: its schedule. */
export interface TimerInterface {
  cron: string | null;
  interval_seconds: number | null;
  timezone?: string;
}

/** The prop `$.service.db`: values that the source keeps from one run to the next. They are stored as JSON. */
export interface Db {
  get<T = any>(key: string): T | undefined;
  /** `undefined` deletes the key. */
  set(key: string, value: unknown): void;
}

/** The prop `data_store`: a store that the sources of a user share. */
export interface DataStore {
  get<T = any>(key: string): Promise<T | undefined>;
  /** `ttl` is in seconds. */
  set(key: string, value: unknown, options?: { ttl?: number | null }): Promise<void>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<unknown>;
  clear(): Promise<void>;
  setTtl(key: string, seconds: number | null): Promise<boolean>;
  keys(): Promise<string[]>;
  values<T = any>(): Promise<T[]>;
  entries<T = any>(): Promise<[string, T][]>;
  [Symbol.asyncIterator](): AsyncIterator<[string, any]>;
}

/** The prop `dir`. */
export interface Dir {
  path: string;
}

/** The prop `http_request`: a request that the user configured. */
export interface ConfiguredRequest {
  url: string;
  method: string;
  headers?: { name: string; value: string }[];
  params?: { name: string; value: string }[];
  body?: any;
  auth?: any;
  execute(): Promise<{ status: number; statusText: string; headers: Record<string, string>; data: any }>;
}

/** The prop `sql`. */
export interface SqlQuery {
  query: string;
  params?: any[];
}

/** The value in `this` for each type of a prop. */
export interface PropValues {
  string: string;
  integer: number;
  boolean: boolean;
  object: Record<string, any>;
  any: any;
  "string[]": string[];
  "integer[]": number[];
  "boolean[]": boolean[];
  "object[]": Record<string, any>[];
  "any[]": any[];
  "$.interface.http": HttpInterface;
  "$.interface.apphook": HttpInterface;
  "$.interface.timer": TimerInterface;
  "$.service.db": Db;
  data_store: DataStore;
  dir: Dir;
  http_request: ConfiguredRequest;
  sql: SqlQuery;
  alert: undefined;
}

export type PropType = keyof PropValues;

/** A choice for the user. */
export type Option = string | number | boolean | { label: string; value: unknown };

/** The argument of `options()`. Values of earlier props join it, if the prop is a `propDefinition`. */
export interface OptionsContext {
  /** Counts from 0. */
  page: number;
  /** The `context` of the previous page. */
  prevContext: any;
  /** The text that the user searches for, with `useQuery`. */
  query?: string;
  [name: string]: any;
}

/** `this` of `options()`: the component, or the app if the prop is one of its definitions. */
export interface OptionsThis {
  [name: string]: any;
}

export type OptionsResult = readonly Option[] | { options: readonly Option[]; context?: unknown };

/** Fields of all props. */
export interface PropFields {
  label?: string;
  /** Markdown. */
  description?: string;
  optional?: boolean;
  default?: unknown;
  static?: unknown;
  /** Fixed options, or a method that returns an `OptionsResult`. */
  options?: readonly Option[] | ((this: OptionsThis, context: OptionsContext) => any);
  /** `options()` searches by `query`. */
  useQuery?: boolean;
  /** `additionalProps()` depends on the value. */
  reloadProps?: boolean;
  /** `this` has `{ label, value }` in place of the value. */
  withLabel?: boolean;
  /** Hides the input, and encrypts the value. */
  secret?: boolean;
  min?: number;
  max?: number;
  hidden?: boolean;
  disabled?: boolean;
}

/** A schedule of a timer. */
export type Schedule =
  | { readonly intervalSeconds: number }
  | { readonly cron: string; readonly timezone?: string };

type Methods = Record<string, (...args: any[]) => any>;

/** A declared prop. */
export type Prop =
  | PropType
  | (PropFields & { type: Exclude<PropType, "$.interface.http" | "$.interface.timer" | "alert"> })
  | (PropFields & { type: "$.interface.http"; customResponse?: boolean })
  | (Omit<PropFields, "default" | "static"> & { type: "$.interface.timer"; default?: Schedule; static?: Schedule })
  | { type: "alert"; alertType?: "info" | "neutral" | "warning" | "error"; content: string; hidden?: boolean }
  | (Partial<PropFields> & { propDefinition: readonly [AnyApp, string, (object | ((props: any) => any))?]; type?: PropType })
  | AnyApp;

export type Props = Record<string, Prop>;

/** An app, as the definition of a prop. */
export interface AnyApp {
  type: "app";
  /** The slug of the app. */
  app: string;
  propDefinitions?: Record<string, any>;
  methods?: Record<string, (...args: any[]) => any>;
  label?: string;
  description?: string;
  optional?: boolean;
}

/** The prop of an app: its methods, and the credentials of the account. */
export type AppInstance<M> = { $auth: Record<string, any> } & MethodsOf<M>;

type MethodsOf<M> = [M] extends [Methods] ? (string extends keyof M ? unknown : M) : unknown;

/** The value of a prop, if it has one. */
type ValueOf<D> = D extends PropType
  ? PropValues[D]
  : D extends { type: "app" }
    ? D extends { methods: infer M }
      ? AppInstance<M>
      : AppInstance<unknown>
    : D extends { type: infer T extends PropType }
      ? D extends { withLabel: true }
        ? LabelValue<PropValues[T]>
        : PropValues[T]
      : D extends { propDefinition: readonly [infer A, infer K, ...unknown[]] }
        ? DefinitionOf<A, K> extends infer Defined
          ? ValueOf<D extends { withLabel: true } ? Defined & { withLabel: true } : Defined>
          : unknown
        : any;

type LabelValue<T> = T extends (infer E)[] ? { label: string; value: E }[] : { label: string; value: T };

type DefinitionOf<A, K> = A extends { propDefinitions: infer D } ? (K extends keyof D ? D[K] : unknown) : unknown;

type IsOptional<D> = D extends { optional: infer O }
  ? O extends true
    ? true
    : false
  : D extends { propDefinition: readonly [infer A, infer K, ...unknown[]] }
    ? DefinitionOf<A, K> extends { optional: true }
      ? true
      : false
    : false;

/** The value of a declared prop in `this`. An optional one may be missing. */
export type PropValue<D> = IsOptional<D> extends true ? ValueOf<D> | undefined : ValueOf<D>;

/** `this` without `$emit`. */
export type Instance<P, M> = PropsOf<P> & MethodsOf<M>;

type PropsOf<P> = string extends keyof P ? unknown : { -readonly [K in keyof P]: PropValue<P[K]> };

/** `this` of a source. */
export type SourceInstance<P, M, D = undefined> = Instance<P, M> & { $emit: Emit<D> };

type EventOf<D> = D extends "$.interface.http" | { type: "$.interface.http" }
  ? HttpRequest
  : D extends "$.interface.timer" | { type: "$.interface.timer" }
    ? TimerTick
    : D extends "$.interface.apphook" | { type: "$.interface.apphook" }
      ? any
      : never;

/** The argument of the `run` of a source. A source without an interface runs with the events that it listens to. */
export type SourceEvent<P> = string extends keyof P
  ? any
  : [EventOf<P[keyof P]>] extends [never]
    ? any
    : EventOf<P[keyof P]>;

/** Fields of all components. */
interface ComponentFields<P, M> {
  key?: string;
  description?: string;
  props?: P;
  methods?: M;
  /** Further props, which depend on values of props with `reloadProps`. */
  additionalProps?(props: any): Props | Promise<Props>;
}

/** A source: it emits events. */
export interface Source<P = any, M = any, D = any> extends ComponentFields<P, M> {
  name: string;
  version: string;
  type?: "source";
  dedupe?: D;
  hooks?: {
    /** After the source is created. */
    deploy?(): unknown;
    /** Before it runs. */
    activate?(): unknown;
    /** Before it is changed or deleted. */
    deactivate?(): unknown;
  };
  run(event: SourceEvent<P>): unknown;
}

/** An action: a published step of workflows. */
export interface Action<P = any, M = any> extends ComponentFields<P, M> {
  name: string;
  version: string;
  type: "action";
  run(step: StepContext): unknown;
}

/** A step of one workflow. */
export interface Step<P = any, M = any> {
  name?: undefined;
  type?: undefined;
  props?: P;
  methods?: M;
  run(step: StepContext): unknown;
}

/** An app: the code that the components of one service share. */
export interface App<P = any, M = any> {
  type: "app";
  /** The slug of the app. */
  app: string;
  propDefinitions: P;
  methods: [M] extends [Methods] ? M : {};
}

interface AppFields<P, M> {
  type: "app";
  app: string;
  propDefinitions?: P;
  methods?: M;
}

/** The argument of the `run` of an action or a step. */
export interface StepContext {
  $: StepTools;
  /** The exports of earlier steps, and `steps.trigger.event`. */
  steps: Record<string, any>;
}

/** The addresses that continue a waiting run. */
export interface PauseUrls {
  resume_url: string;
  cancel_url: string;
}

/** `$` of actions and steps. */
export interface StepTools {
  export(name: string, value: unknown): void;
  /** Answers the request that triggered the workflow. `immediate` does it before the run ends. */
  respond(response: HttpResponse & { immediate?: boolean }): Promise<void>;
  flow: {
    /** Ends the run. */
    exit(reason?: string): void;
    /** The next step runs after this time. */
    delay(ms: number): PauseUrls;
    /** The next step runs when the run is resumed. After this time it is cancelled; the default is a day. */
    suspend(ms?: number): PauseUrls;
    /** This step runs again after this time. */
    rerun(ms: number, context?: unknown, maxRetries?: number): PauseUrls;
  };
  send: {
    http(config: {
      method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
      url: string;
      data?: unknown;
      headers?: Record<string, unknown>;
      params?: Record<string, unknown>;
      auth?: { username?: string; password?: string };
    }): Promise<void>;
    email(config: { subject?: string; text?: string; html?: string }): Promise<void>;
    s3(config: { bucket: string; prefix: string; payload: unknown }): Promise<void>;
    emit(event: unknown, channel?: string): Promise<void>;
    sse(config: { channel: string; payload: unknown }): Promise<void>;
  };
  context: {
    id: string;
    ts: string;
    /** The time at which the step is ended, in milliseconds since the epoch. */
    deadline: number;
    /** `runs` counts from 1. `context` is that of `rerun`. */
    run: { runs: number; context?: any; [name: string]: any };
    [name: string]: any;
  };
}

/** Returns a source unchanged, with types for `this`, its props and its event. */
export interface DefineSource {
  <const P extends Props, M, const D extends Dedupe | undefined>(
    source: Source<P, M, D> & ThisType<SourceInstance<P, M, D>>,
  ): Source<P, M, D>;
}

/** Returns an action unchanged, with types for `this`, its props and `$`. */
export interface DefineAction {
  <const P extends Props, M>(
    action: Action<P, M> & ThisType<Instance<P, M>>,
  ): Action<P, M>;
}

/** Returns an app unchanged, with types for `this`. */
export interface DefineApp {
  <const P extends Props, M>(
    app: AppFields<P, M> & ThisType<AppInstance<M>>,
  ): App<P, M>;
}

/** Returns an app, an action, a source or a step unchanged, with types for `this`, its props and the argument of `run`. */
export interface DefineComponent {
  <const P extends Props, M>(
    app: AppFields<P, M> & ThisType<AppInstance<M>>,
  ): App<P, M>;
  <const P extends Props, M>(
    action: Action<P, M> & ThisType<Instance<P, M>>,
  ): Action<P, M>;
  <const P extends Props, M>(
    step: Step<P, M> & ThisType<Instance<P, M>>,
  ): Step<P, M>;
  <const P extends Props, M, const D extends Dedupe | undefined>(
    source: Source<P, M, D> & ThisType<SourceInstance<P, M, D>>,
  ): Source<P, M, D>;
}
