import type { RunFolder } from "../../run/run_folder.ts";

/** Is told of a run before anything of it is given away, so that what is secret in it is known. */
export type MeetRun = (folder: RunFolder) => Promise<void>;
