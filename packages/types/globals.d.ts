// The global functions that every component has.

declare const defineComponent: import("@sluice/types").DefineComponent;
declare const defineSource: import("@sluice/types").DefineSource;
declare const defineAction: import("@sluice/types").DefineAction;
declare const defineApp: import("@sluice/types").DefineApp;
