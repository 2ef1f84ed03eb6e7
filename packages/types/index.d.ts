import type { DefineAction, DefineApp, DefineComponent, DefineSource } from "./types.js";

export * from "./types.js";

export const defineComponent: DefineComponent;
export const defineSource: DefineSource;
export const defineAction: DefineAction;
export const defineApp: DefineApp;
