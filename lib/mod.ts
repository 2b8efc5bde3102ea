/**
 * panewright as a library: runs are started, followed, answered and resumed; and the parts below them: the handoff with
 * agents in terminals, status detection, and the verdicts of the review loop.
 *
 * @module
 */
export {
  AgentAtWorkError,
  DraftInTheWayError,
  type ErrorCode,
  type Excerpt,
  HumanInterventionRequiredError,
  type Mistake,
  PanewrightError,
  type PanewrightErrorOptions,
  RuntimeError,
  TimeoutError,
  UsageError,
} from "./base/errors.ts";
export { type Clock, systemClock } from "./base/ports/clock.ts";
export { type Role, ROLES } from "./base/roles.ts";
export type { AgentFailure } from "./agents/failure.ts";
export type { FailureClass, MessageKind, Recovery } from "./base/terms.ts";
export type { DialogDesk, OpenDialog, TurnLimits } from "./turn/dialog_desk.ts";
export type { Held, Message } from "./turn/events.ts";
export type { DispatchMark } from "./turn/response_reading.ts";
export type { Retry, Tried } from "./turn/ladder.ts";
export type { SendOptions, TerminalReading } from "./turn/terminal.ts";
export type { BegunTurn, TurnOptions } from "./turn/turn.ts";
export { type HandoffOptions, sendAndWait, type TerminalApi, waitForResponseFile } from "./turn/terminal_api.ts";
export type { ArchivedResponse } from "./turn/events.ts";
export { DEFAULT_HANDOFF_SETTINGS, type HandoffSettings } from "./turn/settings.ts";
export { clearStaleResponse, ensureResponseDir, responsePathFor } from "./turn/response_files.ts";
export { type InstructionOptions, responseFileInstruction } from "./turn/instruction.ts";
export {
  type BeatenRule,
  type Classification,
  type Color,
  type Decision,
  type DialogInfo,
  type DialogKind,
  type DialogOption,
  type Evidence,
  parseScreen,
  type Row,
  type Screen,
  type ScreenMeta,
  type Style,
  type StyleSpan,
  type TerminalStatus,
} from "./screen/mod.ts";
export { classifyScreen } from "./agents/classify_screen.ts";
export { PROVIDER_IDS } from "./agents/mod.ts";
export type { ProviderId } from "./agents/provider.ts";
export { parseReviewVerdict, parseTestVerdict, type ReviewVerdict, type TestVerdict } from "./jobs/verdicts.ts";
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
