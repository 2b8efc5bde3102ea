import type { JobRecords } from "../journal/job.ts";
import { PIPELINE } from "./pipeline/mod.ts";
import { REVIEW_RECORDS } from "./review_loop/records.ts";

export const JOBS: readonly JobRecords[] = [REVIEW_RECORDS, PIPELINE];
