// Short names for what the API answers.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Source = Schemas['Source'];
<<<<<<< HEAD
export type SourceChanges = Schemas['UpdateSource'];
=======
export type EmitterActivity = Schemas['EmitterActivity'];
>>>>>>> main
export type Component = Schemas['Component'];
export type EventSummary = Schemas['EventSummary'];
export type LogLine = Schemas['LogLine'];
export type Subscription = Schemas['Subscription'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type Workflow = Schemas['Workflow'];
export type WorkflowTrigger = Schemas['WorkflowTrigger'];
export type WorkflowVersion = Schemas['WorkflowVersion'];
export type WholeWorkflowVersion = Schemas['WholeWorkflowVersion'];
export type Run = Schemas['Run'];
export type RunStep = Schemas['RunStep'];
export type RunSend = Schemas['RunSend'];
export type RunWait = Schemas['RunWait'];
export type Account = Schemas['Account'];
export type App = Schemas['App'];
export type AppRegistration = Schemas['RegisterApp'];
export type User = Schemas['User'];
export type Activity = Schemas['Activity'];
export type Overview = Schemas['Overview'];
export type ActiveEmitter = Schemas['ActiveEmitter'];
export type Flow = Schemas['Flow'];
export type FlowNode = Schemas['FlowNode'];
export type PageInfo = Schemas['PageInfo'];
export type DeliveryState = Schemas['DeliveryState'];
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
export type ReplayState = Schemas['ReplayState'];
export type FreeUser = Schemas['FreeUser'];
export type PaidUser = Schemas['PaidUser'];
export type ListedUser = Schemas['ListedUser'];
export type UserPlan = Schemas['UserPlan'];
export type DataStore = Schemas['DataStore'];
export type Server = Schemas['Server'];
