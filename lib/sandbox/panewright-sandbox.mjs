// What a sandbox takes that each start of panewright would otherwise read: in the bundle, a file of its own by this name.
export { default as process } from "node:process";
export { SandboxManager } from "@anthropic-ai/sandbox-runtime";
export { default as BROUGHT } from "./brought.json" with { type: "json" };
