import type { FailureClass } from "../../lib/base/terms.ts";
import { createRandom, type Random } from "../support/random.ts";

/** Where in a turn something happens: before its agent has written its response, or after. */
export type When = "before" | "after";

/** What goes wrong in a night, or only not as it usually does. */
export type Trouble =
  /** At a call of panewright's to its machine, counted over the night. */
  | { readonly at: "call"; readonly number: number; readonly what: "kill" }
  | { readonly at: "call"; readonly number: number; readonly what: "full_disk"; readonly calls: number }
  /** At the next call after a record of this type, counted over the night. */
  | { readonly at: "record"; readonly number: number; readonly of: string; readonly what: "kill" }
  /** In the turn of a prompt that an agent gets, counted over the night. */
  | {
    readonly at: "prompt";
    readonly number: number;
    readonly what: "fail";
    readonly failure: FailureClass;
    readonly when: When;
  }
  | { readonly at: "prompt"; readonly number: number; readonly what: "hang" | "die"; readonly when: When }
  | {
    readonly at: "prompt";
    readonly number: number;
    readonly what: "silent" | "empty" | "late" | "double" | "slow" | "leave_server";
  }
  /** What breaks a rule of the nights themselves, to try what comes then. */
  | { readonly at: "prompt"; readonly number: number; readonly what: "disobey" }
  /** The agent asks: for permissions, a question with choices, or by `panewright ask`. */
  | {
    readonly at: "prompt";
    readonly number: number;
    readonly what: "ask";
    readonly how: "permission" | "form";
    readonly times: number;
  }
  /** At a question, counted over the night: what its person does. */
  | { readonly at: "question"; readonly number: number; readonly what: "late" | "no" | "twice" | "never" | "forged" }
  /** After so many minutes. */
  | { readonly at: "minute"; readonly number: number; readonly what: "jump"; readonly ms: number }
  | { readonly at: "minute"; readonly number: number; readonly what: "interrupt" | "tmux_dies" }
  /** The agents' program is gone for a while, as while it is updated. */
  | { readonly at: "minute"; readonly number: number; readonly what: "update"; readonly ms: number };

const FAILURES: readonly FailureClass[] = [
  ...["overloaded", "overloaded", "rate_limit", "network", "network", "usage_limit", "auth", "model"] as const,
  ...["context", "other"] as const,
];

/** What panewright has just written down when it is killed. */
const RECORDS = [
  ...["run_started", "agent_starting", "agent_ready", "agent_session", "turn_started", "message_sending"],
  ...["response_received", "dialog_waiting", "dialog_answered", "dialog_closed", "question_asked", "question_answered"],
  ...["attempt_started", "attempt_finished", "step_finished", "task_finished", "agent_failed", "test_command_started"],
  ...["test_command_finished", "run_resumed"],
] as const;

/** How many calls a night has, about. */
const CALLS = 4000;
const PROMPTS = 12;
const QUESTIONS = 6;

/** The troubles of a night: none in the first, then more and more. */
export function troublesOf(seed: number): readonly Trouble[] {
  const random = createRandom(seed * 7919 + 1);
  return Array.from({ length: random.int(7) }, () => trouble(random));
}

/** What happens in panes besides: in a part of the nights the tmux server goes, with all that runs in it. */
export function paneTroublesOf(seed: number): readonly Trouble[] {
  const random = createRandom(seed * 6421 + 5);
  return random.int(4) > 0 ? [] : [{ at: "minute", number: random.int(30), what: "tmux_dies" }];
}

/** In a part of the nights the agents' program is updated, which takes less than ten minutes. */
export function updatesOf(seed: number): readonly Trouble[] {
  const random = createRandom(seed * 5381 + 11);
  return Array.from({ length: Math.max(0, random.int(5) - 2) }, () => (
    { at: "minute", number: random.int(120), what: "update", ms: 1000 + random.int(9 * 60_000) }
  ));
}

function trouble(random: Random): Trouble {
  const when: When = random.pick(["before", "after"]);
  const prompt = { at: "prompt", number: 1 + random.int(PROMPTS) } as const;
  switch (random.int(12)) {
    case 0:
    case 1:
      return { at: "record", number: 1 + random.int(3), of: random.pick(RECORDS), what: "kill" };
    case 2:
      return { at: "call", number: 1 + random.int(CALLS), what: "kill" };
    case 3:
      return { at: "call", number: 1 + random.int(CALLS), what: "full_disk", calls: 1 + random.int(40) };
    case 4:
    case 5:
      return { ...prompt, what: "fail", failure: random.pick(FAILURES), when };
    case 6:
      return { ...prompt, what: random.pick(["hang", "die"]), when };
    case 7:
      return { ...prompt, what: random.pick(["silent", "empty", "late", "double", "slow", "leave_server"]) };
    case 8:
    case 9:
      return { ...prompt, what: "ask", how: random.pick(["permission", "form"]), times: 1 + random.int(2) };
    case 10:
      return {
        ...{ at: "question", number: 1 + random.int(QUESTIONS) },
        what: random.pick(["late", "no", "twice", "never", "forged"]),
      };
    default:
      return random.int(2) === 0
        ? { at: "minute", number: random.int(120), what: "jump", ms: (random.int(200) - 100) * 60_000 }
        : { at: "minute", number: random.int(120), what: "interrupt" };
  }
}

/** A trouble in words. */
export function describe(trouble: Trouble): string {
  const { at, number, what, ...more } = trouble;
  const details = Object.values(more).map(String).join(" ");
  return `at ${at} ${number}: ${what.replaceAll("_", " ")}${details === "" ? "" : ` (${details})`}`;
}
