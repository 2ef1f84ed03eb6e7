// The types of `sluice/test`, for the test files of components.

/** The options of `run`. */
export interface RunOptions {
  /** The values of props. */
  props?: Record<string, unknown>;
  /** The argument of `run`; for actions and steps, `steps.trigger.event`. */
  event?: unknown;
  /** The content of `$.service.db`. */
  db?: Record<string, unknown>;
  /** The exports of earlier steps. */
  steps?: Record<string, unknown>;
  /** Calls this hook in place of `run`. */
  hook?: "deploy" | "activate" | "deactivate";
  /** In milliseconds. */
  timeout?: number;
}

/** The effects of a component. */
export interface RunResult {
  emits: { event: any; id?: string; name?: string; summary?: string; ts?: any }[];
  logs: { level: string; message: string }[];
  response: { status: number; headers: Record<string, string>; body: any } | undefined;
  returned: any;
  exports: Record<string, any>;
  sends: any[];
  flow: any;
  error: { name: string; message: string; stack: string; code?: string } | undefined;
  db: Record<string, any>;
  stores: Record<string, any>;
}

/** Runs a component once. An error of the component is in the result. */
export function run(component: unknown, options?: RunOptions): Promise<RunResult>;
