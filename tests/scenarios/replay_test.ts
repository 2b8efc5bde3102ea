import { playAll } from "./conformance.ts";

playAll("replay");
