import type { ModelRequest, Respond } from "../lab/script.ts";
import type { Step, Turn } from "../lab/steps.ts";
import { responseTargetOf } from "../e2e/review_model.ts";
import type { FakeAgentScript, FakeStep } from "../lab/acp_fake_agent.ts";

/** What a model does in a scenario: a step of the lab, or the response file that the prompt asks for. */
export type ModelStep = Step | { readonly do: "respond"; readonly text: string };

/** What is done about a prompt. Each prompt is played by the first of them that fits and is not used up. */
export interface Play {
  /** A regular expression that must match in the prompt. */
  readonly when?: string;
  /** @default {1}; the last one of all is played for ever */
  readonly times?: number;
  readonly steps: readonly ModelStep[];
}

/** The plays as the lab's model server wants them, and the prompts that it was asked. */
export function labModel(
  plays: readonly Play[],
  /** Whether commands are to be asked for, where an agent's model says so: a CLI that never asks refuses them then. */
  { escalate }: { readonly escalate: boolean },
): { readonly respond: Respond; readonly prompts: readonly string[] } {
  const used = plays.map(() => 0);
  const prompts: string[] = [];
  const respond = (request: ModelRequest): Turn => {
    const prompt = request.prompts.at(-1) ?? "";
    prompts.push(prompt);
    const index = plays.findIndex(({ when = "", times = 1 }, at) =>
      new RegExp(when).test(prompt) && (at === plays.length - 1 || used[at]! < times)
    );
    used[index]!++;
    return (plays[index]?.steps ?? []).map((step) => asLabStep(step, { prompt, escalate }));
  };
  return { respond, prompts };
}

function asLabStep(
  step: ModelStep,
  { prompt, escalate }: { readonly prompt: string; readonly escalate: boolean },
): Step {
  switch (step.do) {
    case "respond": {
      const path = responseTargetOf(prompt)?.path;
      return path === undefined
        ? { do: "say", text: "I was given no response file." }
        : { do: "write", path, text: `${step.text}\n` };
    }
    case "shell":
      return escalate ? { escalate: "A scenario wants it", ...step } : step;
    default:
      return step;
  }
}

/** The plays as the fake agent wants them: it has no model behind it. What it holds it never lets go. */
export function fakeModel(plays: readonly Play[]): Pick<FakeAgentScript, "turns"> {
  let calls = 0;
  const asFakeSteps = (step: ModelStep): readonly FakeStep[] => {
    switch (step.do) {
      case "respond":
        return [{ respond: step.text }];
      case "say":
        return [{ say: step.text }];
      case "think":
        return [{ think: step.text }];
      case "shell":
        return [{
          permission: `call-${++calls}`,
          command: step.command,
          allowed: [{ run: ["sh", "-c", step.command] }],
          rejected: [{ say: "That was refused." }],
        }];
      case "write":
        return [{ permission: `call-${++calls}`, path: step.path, allowed: [{ write: step.path, text: step.text }] }];
      case "ask":
        return [{
          elicit: step.question,
          schema: {
            type: "object",
            properties: {
              answer: { type: "string", oneOf: step.options.map((each) => ({ const: each, title: each })) },
            },
          },
        }];
      case "hold":
        return [{ await: "a-file-that-never-comes" }];
      case "hang":
        return [{ never: true }];
      case "refuse":
        return [{ fail: { code: -32603, message: step.message ?? "The model server refused" } }];
      case "break":
        return [{ fail: { code: -32603, message: "terminated" } }];
      case "wait":
        return [];
      case "call":
        throw new TypeError("A scenario for any agent calls no tool by its name");
    }
  };
  return {
    turns: plays.map(({ steps, ...play }) => ({
      ...play,
      steps: [...steps.flatMap(asFakeSteps), ...(steps.some(endsBadly) ? [] : END_OF_TURN)],
    })),
  };
}

/** The plays as replay wants them, which has no model behind it, and runs nothing. */
export function replayScript(plays: readonly Play[]): object {
  const asReplaySteps = (step: ModelStep): readonly object[] => {
    switch (step.do) {
      case "respond":
        return [{ respond: step.text }];
      case "say":
        return [{ commentary: step.text }];
      case "hold":
      case "hang":
        return [{ endless: true }];
      default:
        throw new TypeError(`A scenario of replayed roles has no "${step.do}"`);
    }
  };
  const turns = plays.map(({ steps, when }) => {
    const acts = steps.flatMap(asReplaySteps);
    return when === undefined ? acts : { when, steps: acts };
  });
  return { roles: { tester: { turns, repeatLast: true } } };
}

const END_OF_TURN: readonly FakeStep[] = [
  { usage: { used: 1240, size: 200_000 } },
  { end: "end_turn", fields: { usage: { inputTokens: 1200, outputTokens: 40, totalTokens: 1240 } } },
];

function endsBadly({ do: what }: ModelStep): boolean {
  return what === "refuse" || what === "break" || what === "hang";
}
