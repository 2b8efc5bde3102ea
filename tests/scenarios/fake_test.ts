import { playAll } from "./conformance.ts";

playAll("fake");
