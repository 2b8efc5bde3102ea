import { giveAnswer } from "../../lib/api/control/give_answer.ts";
import { type BuiltInRole, ROLES } from "../../lib/base/roles.ts";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { errorText } from "../../lib/base/text/error_text.ts";
import { loadConfig } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { JOBS } from "../../lib/jobs/mod.ts";
import { executeReviewRun, resumeReviewRun } from "../../lib/jobs/review_loop/execute.ts";
import type { ReviewRunPlan } from "../../lib/jobs/review_loop/plan.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { readOverview } from "../../lib/run/overview.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { GOOD_REVIEW, PASS } from "../jobs/review_loop/scripted_agents.ts";
import { GREETER_JOB } from "../support/jobs.ts";
import { createRandom } from "../support/random.ts";
import { createNightClock, type NightClock } from "./clock.ts";
import { type Fault, shareOut, type Step, type TaskFaults } from "./faults.ts";

export const TASKS = 8;

/** What became of a task. */
export interface TaskEnd {
  readonly faults: readonly string[];
  /** How each process that worked on it ended. */
  readonly ends: readonly string[];
  readonly hours: number;
  /** What does not hold. */
  readonly violations: readonly string[];
  readonly story: readonly string[];
}

interface Told {
  readonly type: string;
  readonly [field: string]: unknown;
}

const RESPONSES: Readonly<Record<BuiltInRole, string>> = {
  analyst: "Analysis: change src/greet.ts.",
  analyst_review: GOOD_REVIEW,
  programmer: "Files changed: src/greet.ts.",
  programmer_review: GOOD_REVIEW,
  tester: PASS,
};
/** What agents are started as: not this program, which is no panewright. */
const AGENT = [
  ...[Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all"] as const,
  new URL("../../dist/panewright.mjs", import.meta.url).pathname,
] as const;
const OTHER_LOGIN = "replay (another login)";
/** After which records programs are at work again. */
const WORKS: ReadonlySet<string> = new Set([
  ...["agent_starting", "message_sending", "agent_lost", "ground_lost", "dialog_closed"],
]);
const MINUTE_MS = 60_000;
const MOST_PROCESSES = 4;

function wholeTurn(role: BuiltInRole): readonly Step[] {
  return [{ think: 200 }, { respond: `${RESPONSES[role]}\n` }, { stream: "It is written." }];
}

/** Plays the tasks of a night one after the other, on one clock. */
export async function playNight(
  { seed, folder, tell, only }: {
    readonly seed: number;
    readonly folder: string;
    readonly tell: (line: string) => void;
    /** The one task that is played, from 1, with its story. @default all */
    readonly only?: number | undefined;
  },
): Promise<{ readonly tasks: readonly TaskEnd[]; readonly hours: number }> {
  using clock = createNightClock(new Date());
  const tasks: TaskEnd[] = [];
  for (const [place, faults] of shareOut(TASKS, createRandom(seed)).entries()) {
    if (only !== undefined && place + 1 !== only) continue;
    const workdir = `${folder}/task-${place + 1}`;
    await Deno.mkdir(`${workdir}/src`, { recursive: true });
    const task = new TaskPlay({ workdir, faults, clock });
    const beganMs = performance.now();
    const end = await task.play();
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
    tasks.push(end);
    const wrong = end.violations.map((violation) => `\n  DOES NOT HOLD: ${violation}`).join("");
    const told = wrong === "" && only === undefined
      ? ""
      : `${end.story.map((line) => `\n    ${line}`).join("")}${wrong}`;
    tell(
      `  task ${place + 1} (${end.faults.join(", ") || "no fault"}): ${end.ends.join(", ")}; ${
        end.hours.toFixed(1)
      } h in ${seconds} s${told}`,
    );
  }
  return { tasks, hours: clock.now() / 3_600_000 };
}

class TaskPlay {
  readonly #told: Told[] = [];
  readonly #story: string[] = [];
  readonly #violations: string[] = [];
  readonly #ends: string[] = [];
  readonly #begun = new Set<BuiltInRole>();
  #abort = new AbortController();
  #socket: string | undefined;

  constructor(
    readonly parts: { readonly workdir: string; readonly faults: TaskFaults; readonly clock: NightClock },
  ) {}

  async play(): Promise<TaskEnd> {
    const { faults, clock, workdir } = this.parts;
    const beganMs = clock.now();
    await Deno.writeTextFile(`${workdir}/src/greet.ts`, "export {};\n");
    await Deno.writeTextFile(`${workdir}/job.md`, GREETER_JOB);
    this.#writeScripts();
    const plan = await this.#plan();
    let outcome = "";
    while (outcome !== "pass" && this.#ends.length < MOST_PROCESSES) {
      outcome = await this.#playProcess(plan);
      this.#ends.push(outcome);
      if (outcome !== "pass") await this.#morning();
    }
    this.#judge(outcome);
    return {
      faults: Object.entries(faults).map(([role, { name }]) => `${name} (${role})`),
      ends: this.#ends,
      hours: (clock.now() - beganMs) / 3_600_000,
      violations: this.#violations,
      story: this.#story,
    };
  }

  get #needsOther(): boolean {
    return Object.values(this.parts.faults).some(({ needsOther }) => needsOther);
  }

  #note(line: string): void {
    this.#story.push(`${(this.parts.clock.now() / MINUTE_MS).toFixed(1).padStart(7)} min  ${line}`);
  }

  #writeScripts(): void {
    const { faults, clock, workdir } = this.parts;
    for (const login of ["own", "other"] as const) {
      const roles = Object.fromEntries(ROLES.map((role) => {
        const whole = wholeTurn(role);
        const isMet = this.#begun.has(role) && faults[role]?.person !== "in_the_morning";
        const isOfOwn = faults[role]?.needsOther === true && login === "other";
        const fault = isMet || isOfOwn ? undefined : faults[role];
        const first = fault?.steps({ whole, now: clock.wallClock() });
        return [role, { turns: first === undefined ? [whole] : [first, whole], repeatLast: true }];
      }));
      Deno.writeTextFileSync(`${workdir}/${login}.json`, JSON.stringify({ roles }));
    }
  }

  async #plan(): Promise<ReviewRunPlan> {
    const { workdir } = this.parts;
    const config = {
      provider: "replay",
      providers: { replay: { args: ["--script", `${workdir}/own.json`] } },
      prompt_file: "job.md",
      start_agent: "analyst",
      limits: { max_rounds: 2, min_review_cycles_before_approval: 1 },
      handoff: { poll_seconds: 15, idle_grace_seconds: 40, response_timeout: 7200 },
      permissions: { ask: [{ command: "deploy *" }] },
      project_test_cmd: ["true"],
      tmux: { cols: 120, rows: 40 },
    };
    await Deno.writeTextFile(`${workdir}/panewright.jsonc`, JSON.stringify(config));
    const plan = toRunPlan(await loadConfig({ cwd: workdir, env: () => undefined }));
    const agents = Object.fromEntries(ROLES.map((role) => {
      const agent = { ...plan.agents[role], command: AGENT };
      const other = { ...agent, args: ["--script", `${workdir}/other.json`], login: OTHER_LOGIN };
      return [role, this.#needsOther ? { ...agent, fallbacks: [other] } : agent];
    }));
    return { ...plan, agents: agents as unknown as ReviewRunPlan["agents"] };
  }

  async #playProcess(plan: ReviewRunPlan): Promise<string> {
    const { clock, workdir, faults } = this.parts;
    this.#abort = new AbortController();
    const options = {
      ...{ plan, clock, wallClock: () => clock.wallClock(), signal: this.#abort.signal },
      isPatient: !Object.values(faults).some(({ person }) => person === "in_the_morning"),
      onEvent: (fact: unknown) => this.#hear(fact as Told),
    };
    try {
      const folder = await this.#runToResume();
      const { outcome, reason } = folder === undefined
        ? await executeReviewRun({ configFile: `${workdir}/panewright.jsonc`, cwd: workdir, flags: {} }, options)
        : await resumeReviewRun(folder, options);
      this.#note(`ended: ${outcome}: ${reason.split("\n")[0]}`);
      return outcome;
    } catch (error) {
      this.#note(`ended: ${errorText(error)}`);
      if (this.#abort.signal.aborted) return "interrupted";
      return error instanceof HumanInterventionRequiredError ? "needs_human" : "error";
    } finally {
      clock.pace = "work";
    }
  }

  async #runToResume(): Promise<RunFolder | undefined> {
    const { workdir } = this.parts;
    const [id] = (await listRunIds(workdir)).toReversed();
    return id === undefined ? undefined : runFolderAt(workdir, id);
  }

  #hear(fact: Told): void {
    const { clock, faults } = this.parts;
    const { type } = fact;
    this.#told.push(fact);
    if (type === "session_opening") this.#socket = String(fact["socket"]);
    const role = fact["role"] as BuiltInRole;
    if (type === "agent_failed") clock.pace = "wait";
    if (WORKS.has(type)) clock.pace = "work";
    if (["agent_failed", "agent_lost", "ground_lost", "warning"].includes(type)) {
      this.#note(`${type} ${role ?? ""} ${fact["class"] ?? fact["recovery"] ?? fact["message"] ?? ""}`);
    }
    if (type === "message_sent" && fact["what"] === "prompt" && !this.#begun.has(role)) {
      this.#begun.add(role);
      this.#writeScripts();
      const fault = faults[role];
      if (fault !== undefined) this.#strike(fault, role);
    }
    if (type === "dialog_waiting") this.#ask(fact);
  }

  /** What a fault does to the machine, as soon as its turn is under way. */
  #strike({ name, strikes }: Fault, role: BuiltInRole): void {
    const { clock } = this.parts;
    this.#note(`${role}: ${name}`);
    if (name === "stands still") this.#later(20_000, () => void (clock.pace = "wait"));
    if (strikes === "interrupt") {
      this.#later(10_000, () => this.#abort.abort(new HumanInterventionRequiredError("Stopped by Ctrl-C")));
    }
    if (strikes === "tmux") {
      const socket = this.#socket ?? "";
      this.#later(
        10_000,
        () =>
          void new Deno.Command("tmux", { args: ["-L", socket, "kill-server"], stdout: "null", stderr: "null" })
            .spawn(),
      );
    }
  }

  #later(ms: number, act: () => void): void {
    void this.parts.clock.sleep(ms).then(act);
  }

  /** A person is asked, who sleeps. */
  #ask(fact: Told): void {
    const { clock, faults } = this.parts;
    this.#note(`asked ${fact["question"]}: ${fact["subject"]}`);
    clock.pace = "wait";
    if (!Object.values(faults).some(({ person }) => person === "late")) return;
    this.#later(200 * MINUTE_MS, () => {
      clock.pace = "work";
      void this.#answer(String(fact["question"]));
    });
  }

  async #answer(question: string): Promise<void> {
    const folder = await this.#runToResume();
    if (folder === undefined) return;
    const { clock } = this.parts;
    try {
      await giveAnswer(folder, { question, answer: "yes", by: "command" }, {
        requireTrust: () => Promise.resolve(),
        wallClock: () => clock.wallClock(),
      });
      this.#note(`a person answered ${question}: yes`);
    } catch (error) {
      this.#violations.push(`a person could not answer ${question}: ${errorText(error)}`);
    }
  }

  /** What a person finds is either to be resumed or asks something that can be answered. */
  async #morning(): Promise<void> {
    const folder = await this.#runToResume();
    if (folder === undefined) return;
    const { questions } = await readOverview(folder, JOBS);
    if (this.#ends.at(-1) === "needs_human" && questions.length === 0) {
      this.#violations.push("it is parked, and asks nothing");
    }
    for (const { id } of questions) if (id !== undefined) await this.#answer(id);
  }

  #judge(outcome: string): void {
    const { faults } = this.parts;
    if (outcome !== "pass") this.#violations.push(`it was not done after ${this.#ends.length} processes`);
    const may = Object.values(faults).filter(({ strikes, person }) =>
      strikes === "interrupt" || person === "in_the_morning"
    );
    const ended = this.#ends.filter((end) => end !== "pass");
    if (ended.length > may.length) {
      this.#violations.push(`it ended as ${ended.join(", ")}, where it could have gone on`);
    }
    for (const [role, { name, shownBy }] of Object.entries(faults)) {
      const isShown = this.#told.some((fact) => fact.type === shownBy && (fact["role"] ?? role) === role);
      if (!isShown) this.#violations.push(`${name} (${role}) was never met: there is no ${shownBy}`);
    }
    const questions = new Set(this.#told.flatMap((fact) => fact.type === "dialog_waiting" ? [fact["question"]] : []));
    const asking = Object.values(faults).filter(({ person }) => person !== undefined).length;
    if (questions.size !== asking) this.#violations.push(`${questions.size} questions were asked, and not ${asking}`);
    for (const role of ROLES) {
      const received = this.#told.filter((fact) => fact.type === "response_received" && fact["role"] === role);
      if (received.length !== 1) this.#violations.push(`${received.length} responses of ${role} were taken`);
    }
  }
}
