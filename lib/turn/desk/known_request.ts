import { resolve } from "@std/path/posix";
import type { PaneLook } from "../../agents/pane/pane_look.ts";
import type { PaneProvider } from "../../agents/provider.ts";
import type { Request } from "../../policy/request.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import { present } from "../../base/schema.ts";

export interface KnownRequest {
  /** The only request that the agent's CLI has on record, or the one among them that the screen shows. */
  readonly request?: Request;
  /**
   * Why an automatic yes is out of the question, as a full sentence; missing where the request is sure to be this one.
   */
  readonly doubt?: string;
}

type ShownDialog = Pick<DialogInfo, "kind" | "subject" | "subjectComplete" | "otherReadings">;

export function knownRequest(dialog: ShownDialog, pending: readonly Request[], workdir: string): KnownRequest {
  const shown = pending.filter((request) => isShownBy(dialog, request, workdir));
  const [only, ...others] = pending;
  if (only === undefined) {
    return {
      doubt: "Its exact words are not known: only the screen shows them, and a screen may leave something out.",
    };
  }
  if (others.length > 0) {
    const doubt = "The agent waits for several answers, and the screen does not prove which one this is.";
    return { doubt, ...present({ request: shown.length === 1 ? shown[0] : undefined }) };
  }
  if (only.kind !== dialog.kind) return { doubt: "The screen shows another kind of dialog than the agent asks for." };
  if (shown.length === 1) return { request: only };
  return { request: only, doubt: "The screen does not show just that: it leaves something out, or adds something." };
}

/** Finds the questions that an open dialog puts among the calls that the CLI has on record. */
export function knownQuestions(
  look: PaneLook,
  pending: readonly Request[],
  { terminal: { questionDialogs } }: Pick<PaneProvider, "terminal">,
): KnownRequest {
  const asked = pending.filter(({ questions }) => questions !== undefined);
  const shown = asked.filter(({ questions = [] }) => questionDialogs?.read(look, questions) !== undefined);
  const [request, ...others] = shown.length === 1 ? shown : asked;
  const why = request === undefined
    ? "the record of the agent's CLI cannot be understood."
    : others.length > 0
    ? "the agent asks several, and the screen does not show which one this is."
    : shown.length === 1
    ? undefined
    : "the screen does not show it as the agent asked it.";
  return {
    ...present({ request: others.length > 0 ? undefined : request }),
    ...present({ doubt: why && `It can only be answered in the pane: ${why}` }),
  };
}

/**
 * Whether a dialog on the screen is the one about a request, by all that the screen shows of it: its kind, and the
 * whole command or the same files. What a screen may leave out, blanks and characters without a shape, does not count;
 * whatever else it adds or lacks does.
 */
function isShownBy(dialog: ShownDialog, request: Request, workdir: string): boolean {
  const { kind, subject, subjectComplete, otherReadings } = dialog;
  // A plan is drawn as a page; there is one at a time.
  if (kind === "plan") return request.kind === "plan";
  if (kind !== request.kind || subject === undefined || !subjectComplete) return false;
  const readings = [subject, ...otherReadings];
  if (kind === "command") return readings.some((text) => shapesOf(text) === shapesOf(request.subject));
  const cwd = request.cwd ?? workdir;
  const files = filesOf(request.subject, cwd);
  return readings.some((text) => {
    const shown = filesOf(text, cwd);
    return shown.length === files.length && shown.every((path, index) => path === files[index]);
  });
}

function shapesOf(text: string): string {
  return text.replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, "");
}

function filesOf(subject: string, cwd: string): readonly string[] {
  const paths = subject.split("\n").filter((path) => path.trim() !== "");
  return paths.map((path) => resolve(cwd, path)).sort();
}

export function isSameRequest(one: Request | undefined, other: Request | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.source === other.source) return one.id === other.id;
  return one.kind === other.kind && one.subject === other.subject && (one.cwd ?? other.cwd) === (other.cwd ?? one.cwd);
}
