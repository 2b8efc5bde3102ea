import { reviewProject, reviewResponse } from "../e2e/review_project.ts";
import { responseTargetOf, type ScriptedAnswer, workTurn } from "../e2e/review_model.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type Delivery, placeOfPrompt, type PromptPlace } from "./evidence.ts";
import type { ChaosJob, Stage } from "./stage.ts";

/** Five real Codex agents, whose model is ours, greet the world: wrong in the first round, right in the second one. */
export const CODEX_JOB: ChaosJob = {
  name: "codex",
  figures: { spanMs: 19_000, records: 105, turns: 10, blows: [3, 6] },
  patienceMs: 120_000,
  setUp,
};

async function setUp(panewright: PanewrightCommand): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const deliveries: Delivery[] = [];
  const project = stack.use(
    await reviewProject({
      panewright,
      respond: (request) => answer(request, deliveries),
      config: { limits: { min_review_cycles_before_approval: 1 }, handoff: { poll_seconds: 0.2 } },
    }),
  );
  const resources = stack.move();
  return {
    sandbox: project.sandbox,
    env: project.env,
    config: "panewright.jsonc",
    deliveries: () => Promise.resolve(deliveries),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Answers a prompt by where it says that it belongs. One that says nothing continues the turn before it in its
 * conversation, as after an agent was started again with its session.
 */
export function answer(
  { prompts }: ModelRequest,
  deliveries: Delivery[],
  options: { readonly escalate?: boolean } = {},
): Turn {
  const place = prompts.map(placeOfPrompt).findLast((one) => one !== undefined);
  const target = responseTargetOf(prompts.at(-1) ?? "");
  deliveries.push({ atMs: Date.now(), role: place?.role ?? "somebody", turnId: place?.turnId });
  if (place === undefined || target === undefined) return [{ do: "say", text: "I was not told what to do." }];
  return workTurn(target, answerAt(place), { thinkMs: 150, ...options });
}

/** What the greeting of the world takes. */
export function answerAt({ role, round, cycle }: PromptPlace): ScriptedAnswer {
  const greeting = round === 1 ? "hello, wrld" : "hello, world";
  switch (role) {
    case "analyst":
      return { commands: ["cat check.sh"], response: `Plan ${cycle}: write greeting.txt, then run check.sh.` };
    case "programmer":
      return {
        commands: [`echo '${greeting}' > greeting.txt`],
        response: `Change ${round}.${cycle}: greeting.txt says ${greeting}.`,
      };
    case "tester":
      return { commands: ["ls"], response: `Round ${round}: greeting.txt is there.\n\nRESULT: PASS` };
    default: {
      const revises = role === "programmer_review" && round === 1 && cycle === 1;
      return { response: reviewResponse(revises ? "REVISE" : "APPROVED") };
    }
  }
}
