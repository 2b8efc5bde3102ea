export * from "./classify.ts";
export * from "./dialog.ts";
export * from "./regions.ts";
export * from "./rules.ts";
export * from "./screen.ts";
export * from "../base/status.ts";
export * from "./screen_data.ts";
