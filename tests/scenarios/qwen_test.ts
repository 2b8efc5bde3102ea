import { playAll } from "./conformance.ts";

playAll("qwen");
