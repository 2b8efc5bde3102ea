/**
 * panewright as a library: the handoff with agents in terminals, status detection, and the verdicts of the review loop.
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
} from "./errors.ts";
export { type Clock, systemClock } from "./ports/clock.ts";
export { type Role, ROLES } from "./roles.ts";
export type { DialogDesk, OpenDialog } from "./handoff/dialog_desk.ts";
export { sendAndWait, type TerminalApi, waitForResponseFile } from "./handoff/terminal_api.ts";
export {
  type ArchivedResponse,
  DEFAULT_HANDOFF_SETTINGS,
  type HandoffOptions,
  type HandoffSettings,
} from "./handoff/settings.ts";
export { clearStaleResponse, ensureResponseDir, responsePathFor } from "./handoff/response_files.ts";
export { responseFileInstruction } from "./handoff/instruction.ts";
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
export { classifyScreen } from "./providers/classify_screen.ts";
export { PROVIDER_IDS } from "./providers/mod.ts";
export type { ProviderId } from "./providers/provider.ts";
export { parseReviewVerdict, parseTestVerdict } from "./jobs/verdicts.ts";
