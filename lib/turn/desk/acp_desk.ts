import type { DialogDesk } from "../dialog_desk.ts";
import type { PendingRequest } from "../../agents/acp/pending.ts";
import type { DrivenTerminal } from "../../agents/driven_terminal.ts";
import { repliesText } from "../../base/question.ts";
import { lastLines } from "../../base/text/lines.ts";
import { present } from "../../base/schema.ts";
import type { Asked, GivenAnswer } from "./asked.ts";
import { createDesk } from "./desk.ts";
import type { DeskTurn, DialogDeskContext } from "./desk_context.ts";

interface AcpDeskTurn extends DeskTurn {
  readonly terminal: Pick<DrivenTerminal, "id" | "provider" | "pending" | "cancel" | "lastOutput" | "wakeSources">;
}

/** How many lines of what the agent said last are shown of a request that nobody answered. */
const EXCERPT_LINES = 10;

interface AcpDesk {
  readonly terminal: AcpDeskTurn["terminal"];
  readonly workdir: string;
  readonly seen: Set<string>;
  readonly refused: Map<string, { readonly times: number; readonly problem: string }>;
  /** Why an answer that nobody waited for was not given. */
  failure?: { readonly error: unknown };
}

/**
 * A desk for what an agent asks over its protocol, which takes a reply. Nothing is read from a screen, so what is allowed
 * is allowed at once, within the turn's limits.
 */
export function createAcpDesk(context: DialogDeskContext, turn: AcpDeskTurn): DialogDesk {
  const { terminal } = turn;
  const desk: AcpDesk = { terminal, workdir: context.plan.workdir, seen: new Set(), refused: new Map() };
  return createDesk(context, turn, {
    async open() {
      const [one] = terminal.pending();
      if (one === undefined) return undefined;
      const said = lastLines(await terminal.lastOutput(), EXCERPT_LINES);
      const rows = said.map((row) => `  | ${row}`);
      const excerpt = said.length === 0 ? "The agent had said nothing." : ["The agent had said:", ...rows].join("\n");
      return askedOf(desk, one, excerpt);
    },
    listen(answer) {
      const look = () => {
        for (const one of terminal.pending()) {
          if (desk.seen.has(one.request.id)) continue;
          desk.seen.add(one.request.id);
          const { signal } = one;
          answer(() => ({ asked: askedOf(desk, one, ""), signal, answers: ["accept"] }))
            .catch((error) => void (desk.failure ??= { error }));
        }
      };
      const listening = terminal.wakeSources.map((source) => source.onHint(look));
      look();
      return { [Symbol.dispose]: () => listening.forEach((one) => one[Symbol.dispose]()) };
    },
    assertSound() {
      if (desk.failure !== undefined) throw desk.failure.error;
    },
  });
}

function askedOf({ terminal, workdir, refused }: AcpDesk, one: PendingRequest, excerpt: string): Asked {
  const { request } = one;
  const { id, tool, kind, subject, cwd = workdir, questions = [] } = request;
  const { allow, reject } = request.offers ?? { allow: true, reject: true };
  const again = refused.get(id);
  return {
    // Told apart by what is asked: an answer may have been left for an agent that is gone, and ids begin anew with
    // each. A request whose answer could not be given is asked about once more.
    identity: JSON.stringify([tool, kind, subject, cwd, questions, again?.times ?? 0]),
    request,
    shown: request,
    offers: {
      allow,
      reject,
      refuse: true,
      noPlain: (missing) => `The agent offers no plain ${missing}, for this once.`,
    },
    // To what is not understood, a no can be given.
    isAnswerable: true,
    note: again && `The answer could not be given: ${again.problem}.`,
    before: [],
    tail: [],
    excerpt,
    takes(said) {
      const problem = said.answer === "reply"
        ? one.problemWith(said.replies)
        : said.answer === "accept" && !allow
        ? "the agent offers no plain yes, for this once"
        : undefined;
      if (problem !== undefined) refused.set(id, { times: (again?.times ?? 0) + 1, problem });
      return problem === undefined;
    },
    async carryOut(answer) {
      const isGiven = await carryOut(terminal, one, answer);
      const replies = answer.answer === "reply" && isGiven ? repliesText(questions, answer.replies) : undefined;
      const outcome = isGiven ? "closed" : "gone";
      return { outcome, result: isGiven ? "answered" : "gone", after: [], ...present({ replies }) };
    },
  };
}

async function carryOut(
  terminal: Pick<DrivenTerminal, "cancel">,
  one: PendingRequest,
  given: GivenAnswer,
): Promise<boolean> {
  if (given.answer === "reply") return await one.answer({ type: "reply", replies: given.replies });
  if (given.answer === "accept") return await one.answer({ type: "allow" });
  if (one.request.offers?.reject !== false) {
    return await one.answer({ type: "reject", ...present({ reason: given.reason }) });
  }
  // Where no choice says no, the end of the turn does.
  if (one.signal.aborted) return false;
  await terminal.cancel();
  return true;
}
