import { playAll } from "./conformance.ts";

playAll("opencode");
