import { type BuiltInRole, ROLES } from "../../lib/base/roles.ts";
import type { Random } from "../support/random.ts";

/** A step of a replayed agent, as lib/lab/replay/script.ts has it. */
export type Step = Readonly<Record<string, unknown>>;

/** What a person does about the questions of a task. */
type Person = "late" | "in_the_morning";

/** What goes wrong in a turn of a night. */
export interface Fault {
  readonly name: string;
  /** What the agent does in its first turn; it is given what it does otherwise, and the time of its start. */
  readonly steps: (turn: { readonly whole: readonly Step[]; readonly now: Date }) => readonly Step[];
  /** By which record one sees that it was dealt with. */
  readonly shownBy: string;
  /** What is done to the night's machine when the turn has begun. */
  readonly strikes?: "tmux" | "interrupt";
  readonly person?: Person;
  /** Whether nothing helps but another login. */
  readonly needsOther?: boolean;
  /** What only one fault of a task can be about: one person who answers, one account that another may take the place of. */
  readonly about?: "person" | "account";
}

const fails = (words: string) => () => [{ think: 300 }, { fail: words }];
const APPROVAL = { run: { command: "deploy --dry-run", approval: "It needs the network.", ms: 100 } };

function inHours(now: Date, hours: number): string {
  const at = new Date(now.getTime() + hours * 3_600_000);
  const hour = at.getHours();
  const minutes = String(at.getMinutes()).padStart(2, "0");
  return `${hour % 12 || 12}:${minutes} ${hour < 12 ? "AM" : "PM"}`;
}

/** Every class of faults that a pane can show, in the words of the CLI whose screens are replayed. */
export const FAULTS: readonly Fault[] = [
  {
    name: "usage limit",
    steps: ({ now }) => [{ think: 300 }, {
      fail: `You've hit your usage limit. Upgrade to Pro or try again at ${inHours(now, 4)}.`,
    }],
    shownBy: "agent_failed",
    about: "account",
  },
  {
    name: "usage limit after the whole response",
    steps: ({ whole, now }) => [...whole.slice(0, -1), {
      fail: `You've hit your usage limit. Upgrade to Pro or try again at ${inHours(now, 2)}.`,
    }],
    shownBy: "response_received",
  },
  {
    name: "rate limit",
    steps: fails("exceeded retry limit, last status: 429 Too Many Requests"),
    shownBy: "agent_failed",
  },
  { name: "overloaded", steps: fails("unexpected status 503 Service Unavailable: busy"), shownBy: "agent_failed" },
  { name: "network", steps: fails("stream disconnected before completion: connection reset"), shownBy: "agent_failed" },
  {
    name: "context",
    steps: fails(
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    ),
    shownBy: "agent_failed",
  },
  { name: "unknown error", steps: fails("The flux capacitor has left the building."), shownBy: "agent_failed" },
  {
    name: "login refused",
    steps: fails("unexpected status 401 Unauthorized: no key"),
    shownBy: "agent_failed",
    needsOther: true,
    about: "account",
  },
  {
    name: "model not to be had",
    steps: fails("unexpected status 404 Not Found: The model `replay` does not exist"),
    shownBy: "agent_failed",
    needsOther: true,
    about: "account",
  },
  { name: "program dies", steps: () => [{ think: 200 }, { crash: { exitCode: 137 } }], shownBy: "agent_lost" },
  { name: "stands still", steps: () => [{ endless: true }], shownBy: "agent_failed" },
  { name: "no response", steps: () => [{ think: 200 }, { stream: "All done." }], shownBy: "reminder_sent" },
  {
    name: "late response",
    steps: ({ whole }) =>
      whole.map((step) => "respond" in step ? { respond: { text: step["respond"], afterIdleMs: 600 } } : step),
    shownBy: "response_received",
  },
  {
    name: "permission, answered late",
    steps: ({ whole }) => [APPROVAL, ...whole],
    shownBy: "dialog_closed",
    person: "late",
    about: "person",
  },
  {
    name: "permission, answered in the morning",
    steps: ({ whole }) => [APPROVAL, ...whole],
    shownBy: "dialog_waiting",
    person: "in_the_morning",
    about: "person",
  },
  {
    name: "tmux server killed",
    steps: ({ whole }) => [{ think: 3000 }, ...whole],
    shownBy: "ground_lost",
    strikes: "tmux",
  },
  {
    name: "interrupted and resumed",
    steps: ({ whole }) => [{ think: 3000 }, ...whole],
    shownBy: "run_resumed",
    strikes: "interrupt",
  },
];

/** What goes wrong in the turns of one task. */
export type TaskFaults = { readonly [R in BuiltInRole]?: Fault };

/** Shares every fault out among the tasks of a night, each with a role of its own. */
export function shareOut(tasks: number, random: Random): readonly TaskFaults[] {
  const shares = Array.from({ length: tasks }, (): { [R in BuiltInRole]?: Fault } => ({}));
  for (const fault of FAULTS) {
    const free = shares.filter((share) =>
      Object.keys(share).length < ROLES.length &&
      (fault.about === undefined || Object.values(share).every(({ about }) => about !== fault.about))
    );
    const fewest = Math.min(...free.map((share) => Object.keys(share).length));
    const share = random.pick(free.filter((one) => Object.keys(one).length === fewest));
    share[random.pick(ROLES.filter((role) => share[role] === undefined))] = fault;
  }
  return shares;
}
