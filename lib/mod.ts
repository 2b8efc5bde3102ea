/**
 * panewright as a library: runs are started, followed, answered and resumed; and the parts below them: the handoff with
 * agents in terminals, status detection, and the verdicts of the review loop.
 *
 * @module
 */
export {
  AgentAtWorkError,
  DraftInTheWayError,
  HumanInterventionRequiredError,
  PanewrightError,
  type PanewrightErrorOptions,
  RuntimeError,
  TimeoutError,
  UsageError,
} from "./base/errors.ts";
export { type Clock, systemClock } from "./base/ports/clock.ts";
export { type Role, ROLES } from "./base/roles.ts";
export type { DialogDesk, OpenDialog } from "./turn/dialog_desk.ts";
export { type HandoffOptions, sendAndWait, type TerminalApi, waitForResponseFile } from "./turn/terminal_api.ts";
export type { ArchivedResponse } from "./turn/events.ts";
export { DEFAULT_HANDOFF_SETTINGS, type HandoffSettings } from "./turn/settings.ts";
export { clearStaleResponse, ensureResponseDir, responsePathFor } from "./turn/response_files.ts";
export { responseFileInstruction } from "./turn/instruction.ts";
export {
  type BeatenRule,
  type Classification,
  type DialogInfo,
  type Evidence,
  parseScreen,
  type Screen,
  type ScreenMeta,
  type TerminalStatus,
} from "./screen/mod.ts";
export { classifyScreen } from "./agents/classify_screen.ts";
export { PROVIDER_IDS } from "./agents/mod.ts";
export type { ProviderId } from "./agents/provider.ts";
export { parseReviewVerdict, parseTestVerdict } from "./jobs/verdicts.ts";
export {
  answer,
  events,
  exec,
  type NewRunOptions,
  resume,
  run,
  type RunPlace,
  type RunRecord,
  type StartedRun,
  type StartOptions,
  type Task,
} from "./api/library.ts";
