import { playAll } from "./conformance.ts";

playAll("claude_code_process");
