import { playAll } from "./conformance.ts";

playAll("codex_process");
