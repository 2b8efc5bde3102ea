import { isMessageId } from "../../base/terms.ts";
import { findMessage } from "../control/find_message.ts";
import { UsageError } from "../../base/errors.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { readLeftMessage } from "../../run/inbox.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { OutsideMessageProgress } from "../../journal/message_progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findRunMail } from "../../run/run_mail.ts";
import { abridge } from "../../base/text/abridge.ts";
import { errorText } from "../../base/text/error_text.ts";
import type * as z from "zod";
import type { messageState } from "./fields.ts";
import { present } from "../../base/schema.ts";

export type MessageState = z.input<typeof messageState>;

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_RESPONSE_CHARS = 40_000;

export function isMessageOver(state: MessageState["state"] | undefined): boolean {
  return state === "answered" || state === "failed";
}

export function requireMessage(folder: RunFolder, overview: RunOverview, id: string): MessageState {
  const told = stateOfMessage(folder, overview, id);
  if (told !== undefined) return told;
  if (isMessageId(id)) {
    try {
      return { message: id, role: readLeftMessage(findRunMail(folder), id).role, state: "left" };
    } catch { /* there is none */ }
  }
  throw new UsageError(`Cannot find the message ${JSON.stringify(id)} of run ${folder.id}`, {
    code: "bad_input",
    hint: "The tools handoff, assign and send_message return a message's id.",
  });
}

/** How far a message is; undefined as long as the run has not received it. */
export function stateOfMessage(folder: RunFolder, { progress }: RunOverview, id: string): MessageState | undefined {
  const message = findMessage(folder, progress, id);
  if (message === undefined) return undefined;
  const { worker, status: state, reason } = message;
  return {
    ...{ message: id, role: worker as MessageState["role"], state },
    ...responseOf(folder, message),
    ...present({ reason }),
  };
}

function responseOf(
  { path }: RunFolder,
  { archivedAs }: OutsideMessageProgress,
): Pick<MessageState, "response" | "responseFile" | "reason"> {
  if (archivedAs === undefined) return {};
  try {
    // A journal may come from elsewhere: only what is in the run's own folder is a response.
    if (!archivedAs.startsWith(`${path}/`) || archivedAs.split("/").includes("..")) {
      throw new TypeError("it is not in the run's folder");
    }
    const text = readRegularText(archivedAs, { maxBytes: MAX_RESPONSE_BYTES });
    return { response: abridge(text, { maxChars: MAX_RESPONSE_CHARS }), responseFile: archivedAs };
  } catch (error) {
    return { responseFile: archivedAs, reason: `The response cannot be read: ${errorText(error)}` };
  }
}
