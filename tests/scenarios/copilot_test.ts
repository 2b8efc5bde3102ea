import { playAll } from "./conformance.ts";

playAll("copilot");
