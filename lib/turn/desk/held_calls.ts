import { refusalText } from "../instruction.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import type { Request } from "../../policy/request.ts";
import type { Asked } from "./asked.ts";
import { PLAIN_OFFERS, requestOf } from "./decision.ts";
import type { HookedRequest } from "./hooked_request.ts";

/** A call that waits in its hook until a person has answered. */
interface HeldCall {
  readonly asked: Asked;
  readonly refuse: () => Promise<void>;
}

const NOBODY = "Nobody has said yes to it.";

/** Where the CLI has a sandbox, its own dialog is about the same command: it is not asked about twice. */
const NOTE = "A yes holds as well where it asks to run outside of its CLI's sandbox.";

/** Calls that a person is asked about before they are made, since their CLI may just run them: their hooks wait so long. */
export function createHeldCalls() {
  const held = new Set<HeldCall>();
  const permitted = new Set<Request>();

  function same({ kind, subject, tool, cwd }: Request): Request | undefined {
    return [...permitted].find((one) =>
      one.kind === kind && one.subject === subject && one.tool === tool && one.cwd === cwd
    );
  }

  return {
    /** The one that has waited longest. */
    first: (): Asked | undefined => [...held][0]?.asked,
    /** Resolves once it is answered. */
    hold({ request, reply }: Pick<HookedRequest, "request" | "reply">): Promise<void> {
      const { kind, subject, tool, cwd } = request;
      // What was said of the same call before was about that one.
      permitted.delete(same(request) ?? request);
      const answered = Promise.withResolvers<void>();
      const say = async (isYes: boolean, reason: string) => {
        if (!held.delete(call)) return;
        if (isYes) permitted.add(request);
        const told = isYes ? "" : refusalText({ request: requestOf(request), reason });
        await reply({ behavior: isYes ? "allow" : "deny", reason: told }).finally(answered.resolve);
      };
      const call: HeldCall = {
        asked: {
          // Another process of the run asks about it as the same.
          identity: JSON.stringify(["call", tool, kind, subject, cwd]),
          ...{ request, shown: request, offers: PLAIN_OFFERS, isAnswerable: true, isShown: false, note: NOTE },
          ...{ before: [], excerpt: "", tail: [], tellsWhy: true },
          isMeant: () => Promise.resolve(held.has(call)),
          async carryOut(given) {
            await say(given.answer === "accept", given.answer === "reply" ? NOBODY : given.reason);
            return { outcome: "closed", result: "answered", after: [] };
          },
        },
        refuse: () => say(false, NOBODY),
      };
      held.add(call);
      return answered.promise;
    },
    /** What a person has said of a call about which its CLI asks as well: once. */
    verdictOn(request: Request): PermissionVerdict | undefined {
      const call = same(request);
      if (call === undefined || !permitted.delete(call)) return undefined;
      return { decision: "allow", rule: "permitted", reason: "A person said yes to it before it was made." };
    },
    /** Nobody waits for them any longer. */
    refuseAll(): void {
      for (const { refuse } of held) refuse().catch(() => {});
    },
  };
}
