import { playAll } from "./conformance.ts";

playAll("gemini");
