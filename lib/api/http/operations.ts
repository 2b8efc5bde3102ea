import { metaOperations } from "./meta_operations.ts";
import type { Operation } from "./operation.ts";
import { ACT_OPERATIONS } from "./act_operations.ts";
import { BUTTON_OPERATIONS } from "./button_operations.ts";
import { RUN_OPERATIONS } from "./run_operations.ts";
import { REPORT_OPERATIONS } from "./report_operations.ts";
import { SCREEN_OPERATIONS } from "./screens/screen_operations.ts";

/** All that clients can ask for; those with a protocol of their own are mounted beside them. */
export const OPERATIONS: readonly Operation[] = [
  ...metaOperations(() => OPERATIONS),
  ...RUN_OPERATIONS,
  ...ACT_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...SCREEN_OPERATIONS,
  ...BUTTON_OPERATIONS,
];
