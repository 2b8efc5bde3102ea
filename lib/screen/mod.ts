// A capture of a pane comes in; its status, the dialog that is open and the evidence for both go out. Pure.

export * from "./classify.ts";
export * from "./dialog.ts";
export * from "./regions.ts";
export * from "./rules.ts";
export * from "./screen.ts";
export * from "../base/status.ts";
export * from "./screen_data.ts";
