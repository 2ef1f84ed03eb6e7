// Short names for what the API answers.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Source = Schemas['Source'];
export type Component = Schemas['Component'];
export type EventSummary = Schemas['EventSummary'];
export type LogLine = Schemas['LogLine'];
export type Subscription = Schemas['Subscription'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type Workflow = Schemas['Workflow'];
export type Run = Schemas['Run'];
export type Account = Schemas['Account'];
export type App = Schemas['App'];
export type User = Schemas['User'];
export type PageInfo = Schemas['PageInfo'];
