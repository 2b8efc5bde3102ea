import type { Job } from "../journal/job.ts";
import { PIPELINE } from "./pipeline/mod.ts";
import { REVIEW_LOOP } from "./review_loop/mod.ts";

export const JOBS: readonly Job[] = [REVIEW_LOOP, PIPELINE];
