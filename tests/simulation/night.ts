import { giveAnswer } from "../../lib/api/control/give_answer.ts";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { errorText } from "../../lib/base/text/error_text.ts";
import { JOBS } from "../../lib/jobs/mod.ts";
import { readOverview } from "../../lib/run/overview.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { executeNight, keepsGoing, type Played, resumeNight, TASKS } from "./jobs.ts";
import { AgentProgram } from "./agent.ts";
import { PaneAgentProgram } from "./pane_agent.ts";
import { judge, recordsOf } from "./judge.ts";
import { Machine, type PortCall, type PortFault } from "./machine/machine.ts";
import type { NightProcess } from "./machine/programs.ts";
import { describe, paneTroublesOf, type Trouble, troublesOf, updatesOf } from "./troubles.ts";
import { PROJECT, World } from "./world.ts";

/** What a night is: the same one plays the same, byte for byte. */
export interface NightPlan {
  readonly seed: number;
  readonly job: "run" | "exec";
  readonly troubles: readonly Trouble[];
  /** Whether the agents of its roles are in panes. @default {false} */
  readonly inPanes?: boolean;
}

/** How one process of panewright ended. */
interface ProcessEnd {
  readonly outcome: string;
  readonly reason: string;
  readonly atMs: number;
}

/** What became of a night. */
export interface Night {
  readonly plan: NightPlan;
  readonly violations: readonly string[];
  readonly ends: readonly ProcessEnd[];
  readonly calls: number;
  readonly prompts: number;
  readonly hours: number;
  /** All that it left in files: by it two plays are compared. */
  readonly trace: string;
  readonly story: readonly string[];
}

export interface Fact {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isOfDisk(reason: string): boolean {
  return reason.includes("No space left");
}

/** What a record asks people, and by which ids. */
export function questionsOf(fact: Fact): readonly { readonly question: string; readonly words: string }[] {
  if (fact.type === "dialog_waiting") {
    const { question, subject } = fact;
    return question === undefined ? [] : [{ question: String(question), words: String(subject) }];
  }
  if (fact.type !== "question_asked") return [];
  const others = fact["others"] as readonly { readonly question: string; readonly text: string }[] | undefined;
  const first = { question: String(fact["question"]), text: String(fact["text"]) };
  return [first, ...others ?? []].map(({ question, text }) => ({ question, words: text }));
}

const LONGEST_MS = 30 * 3_600_000;
/** After so long a person looks what of a process is still open: later than any answer that comes by itself. */
const LOOK_MINUTES = 720;
const MINUTE_MS = 60_000;

/** @param options.inPanes whether all nights of roles have them in panes; otherwise a part of them has */
export function planOf(seed: number, { inPanes: all = false } = {}): NightPlan {
  const job = seed % 3 === 2 ? "exec" : "run";
  const inPanes = job === "run" && (all || seed % 6 === 4 || seed % 12 === 3);
  return {
    seed,
    job,
    inPanes,
    troubles: [...troublesOf(seed), ...updatesOf(seed), ...inPanes ? paneTroublesOf(seed) : []],
  };
}

/** Plays one night to its end, with as many processes of panewright as it takes, and judges it. */
export async function playNight(plan: NightPlan): Promise<Night> {
  const world = new World(plan.seed, plan.job, plan.troubles);
  const story: string[] = [];
  const tell = (line: string) => {
    const minutes = (machine.time.now() / MINUTE_MS).toFixed(1);
    story.push(`${minutes.padStart(7)} min  ${line}`);
  };
  let isJudged = false;
  const onCall = ({ number, name, path, writes }: PortCall): PortFault => {
    if (isJudged) return undefined;
    const struck = world.strikes;
    if (struck !== undefined) {
      tell(`${describe(struck)}, at ${name} ${path}`);
      world.strikes = undefined;
      return "kill";
    }
    for (const trouble of plan.troubles) {
      if (trouble.at !== "call" || trouble.number !== number) continue;
      tell(`${describe(trouble)}, at ${name} ${path}`);
      if (trouble.what === "kill") return "kill";
      world.disk.fullFor = trouble.calls;
    }
    if (world.disk.fullFor > 0 && writes) {
      world.disk.fullFor--;
      return "full_disk";
    }
    return undefined;
  };
  const programs = new Map<string, (process: NightProcess) => void>([
    ["night-agent", (process) => void new AgentProgram(process, machine, world)],
    ["night-pane", (process) => void new PaneAgentProgram(process, machine, world)],
    ["server", () => {}],
    ["make", (process) => {
      const code = world.chance(5) === 0 ? 1 : 0;
      machine.time.after(3000 + world.chance(60_000), () => {
        if (!process.isAlive) return;
        world.tests.push(code);
        process.print(code === 0 ? "all passed\n" : "1 failed\n");
        process.exit(code);
      });
    }],
  ]);
  const machine: Machine = new Machine({ seed: plan.seed, programs, onCall });
  world.machine = machine;
  machine.files.mkdir(`${PROJECT}/src`, { recursive: true });
  machine.files.mkdir("/night/home", { recursive: true });
  machine.files.mkdir("/tmp", { recursive: true });
  machine.files.mkdir("/usr/bin", { recursive: true });
  for (const name of programs.keys()) machine.files.write(`/usr/bin/${name}`, "", { mode: 0o755 });
  machine.files.write(`${PROJECT}/src/greet.ts`, "export {};\n");
  using _installed = machine.install();
  const night = new NightPlay(plan, { world, machine, tell });
  machine.onUnhandled = (error) => night.stop(error);
  machine.onCrash = (error) =>
    world.violate(`it crashed: ${errorText(error)}\n${error instanceof Error ? error.stack : ""}`);
  await night.play();
  const { ends, told } = night;
  isJudged = true;
  machine.begin();
  judge({ plan, world, machine, told, ends });
  const trace = [...machine.files.below("/night")].map(([path, text]) => `${path}\n${text}`).join("\n");
  machine.end();
  return {
    ...{ plan, ends, trace, story, violations: world.violations, calls: machine.calls, prompts: world.prompts },
    hours: machine.time.now() / 3_600_000,
  };
}

interface NightParts {
  readonly world: World;
  readonly machine: Machine;
  readonly tell: (line: string) => void;
}

const AGENT_PROGRAMS = ["night-agent", "night-pane"] as const;

class NightPlay {
  readonly ends: ProcessEnd[] = [];
  /** What was told as recorded: it must be on the disk. */
  readonly told: Fact[] = [];
  readonly #abort: { now: AbortController } = { now: new AbortController() };
  readonly #records = new Map<string, number>();
  #questions = 0;

  constructor(readonly plan: NightPlan, readonly parts: NightParts) {}

  /** As main.ts does with what nobody handles. */
  stop(error: unknown): void {
    this.parts.tell(`nobody handled: ${errorText(error)}`);
    this.#abort.now.abort(error);
  }

  async play(): Promise<void> {
    const { world, machine, tell } = this.parts;
    const { troubles } = this.plan;
    for (const trouble of troubles) {
      if (trouble.at !== "minute") continue;
      machine.time.after(trouble.number * MINUTE_MS, () => {
        tell(describe(trouble));
        if (trouble.what === "jump") machine.time.wallOffsetMs += trouble.ms;
        else if (trouble.what === "update") this.#update(trouble.ms);
        else if (trouble.what === "tmux_dies") machine.tmux.killServers();
        else this.#abort.now.abort(new HumanInterventionRequiredError("Stopped by Ctrl-C"));
      });
    }
    const most = 2 * troubles.length + 4;
    for (let processes = 0; processes < most; processes++) {
      const end = await this.#playProcess();
      this.ends.push(end);
      world.noteEnd(end);
      tell(`panewright ended: ${end.outcome}: ${end.reason.split("\n")[0]}`);
      if (end.outcome === "pass" || end.outcome === "fail" || world.violations.length > 0) return;
      // Nothing can be done about it as long as a limit of time cannot be raised.
      if (/the limit of \d+ s passed/.test(end.reason)) return;
      await this.#morning();
    }
    world.violate(`the run has not come to its end after ${most} processes`);
  }

  #update(ms: number): void {
    const { files, programs, time } = this.parts.machine;
    for (const name of AGENT_PROGRAMS) {
      const path = `/usr/bin/${name}`;
      if (programs.away.has(name)) continue;
      files.remove(path);
      programs.away.add(name);
      time.after(ms, () => {
        programs.away.delete(name);
        files.write(path, "", { mode: 0o755 });
      });
    }
  }

  /** One process of panewright, from its start to its end, whatever that is. */
  async #playProcess(): Promise<ProcessEnd> {
    const { machine, world } = this.parts;
    machine.begin();
    this.#abort.now = new AbortController();
    let end: Played | undefined;
    const options = {
      machine,
      signal: this.#abort.now.signal,
      onFact: (fact: Fact) => this.#hear(fact),
      plan: this.plan,
    };
    const play = async () => {
      const folder = await this.#runToResume();
      return await (folder === undefined ? executeNight(options) : resumeNight(folder, options));
    };
    const number = this.ends.length;
    const toldBefore = this.told.length;
    machine.time.after(LOOK_MINUTES * MINUTE_MS, () => {
      if (this.ends.length === number && !machine.isDead && end === undefined) void this.#answerOpen();
    });
    play().then((result) => end = result, (error) => end = { outcome: "broken", reason: errorText(error) });
    const isOver = () => end !== undefined || machine.isDead;
    const isEnded = await machine.time.run(isOver, { untilMs: machine.time.now() + LONGEST_MS });
    const { outcome, reason } = machine.isDead
      ? { outcome: "killed", reason: "kill -9" }
      : end ?? { outcome: "stuck", reason: "nothing happens any more" };
    if (!isEnded) world.violate("panewright neither ended nor waited for anything that could come");
    this.#judgeEnd(outcome, reason);
    // What a killed process has left stays until another one can write down that it continues the run.
    const hasBegun = this.told.length > toldBefore;
    if (outcome !== "killed" && outcome !== "stuck" && hasBegun) {
      const left = machine.programs.alive().map(({ argv, pid }) => `${argv[0]} (${pid})`);
      if (left.length > 0) world.violate(`left running: ${left.join(", ")}`);
    }
    machine.end();
    await machine.time.settle();
    // It was killed when all was written down.
    const over = /: it is over \((pass|fail): |: it has (pass)ed$/.exec(reason)?.slice(1).find(Boolean);
    return { outcome: over ?? outcome, reason, atMs: machine.time.now() };
  }

  /** What must hold when a process ends, before anybody does anything about it. */
  #judgeEnd(outcome: string, reason: string): void {
    const { world, machine } = this.parts;
    if (outcome === "waiting" && keepsGoing(this.plan)) {
      // A kill may come between a record and its telling.
      const begun = new Set(
        recordsOf(machine).flatMap((fact) => fact.type === "task_started" ? [String(fact["file"])] : []),
      );
      if (begun.size < TASKS.length) world.violate(`it waits, and only ${begun.size} of its tasks were begun`);
    }
    if (outcome !== "error" && outcome !== "needs_human") return;
    const standing = world.responses.findLast(({ path, text, isReplaced }) =>
      !isReplaced && machine.files.has(path) && machine.files.text(path) === text
    );
    if (standing !== undefined && !isOfDisk(reason)) {
      world.violate(`it gave up although the complete response was there: ${reason.split("\n")[0]}`);
    }
  }

  async #runToResume(): Promise<RunFolder | undefined> {
    const [id] = (await listRunIds(PROJECT)).toReversed();
    if (id === undefined) return undefined;
    const folder = runFolderAt(PROJECT, id);
    const overview = await readOverview(folder, JOBS);
    // It was killed before it had begun.
    return overview.progress === undefined ? undefined : folder;
  }

  #hear(fact: Fact): void {
    if (fact.type !== "agent_activity") this.told.push(fact);
    const { world, tell } = this.parts;
    const times = (this.#records.get(fact.type) ?? 0) + 1;
    this.#records.set(fact.type, times);
    world.strikes ??= this.plan.troubles.find((one) =>
      one.at === "record" && one.of === fact.type && one.number === times
    );
    if (fact.type === "warning") tell(`warning: ${fact["message"]}`);
    for (const { question, words } of questionsOf(fact)) this.#ask(question, words);
  }

  /** A person is asked. */
  #ask(id: string, words: string): void {
    const { world, machine, tell } = this.parts;
    const number = ++this.#questions;
    world.noteQuestion(id, words);
    const ways = this.plan.troubles.flatMap((one) => one.at === "question" && one.number === number ? [one.what] : []);
    tell(`question ${number} (${id}): ${words.split("\n")[0]} ${ways.join(" ")}`);
    const inMs = (ms: number, act: () => Promise<void>) =>
      machine.time.after(ms, () => {
        // A panewright that was killed meanwhile is asked by nobody.
        if (!machine.isDead) act().catch((error) => tell(`a person could not answer ${id}: ${errorText(error)}`));
      });
    if (ways.includes("forged")) inMs(20_000, () => this.#forge(id));
    const minutes = ways.includes("never")
      ? 600
      : ways.includes("late")
      ? 60 + world.chance(480)
      : 1 + world.chance(15);
    inMs(minutes * MINUTE_MS, async () => {
      await this.#answer(id, ways.includes("no") ? "no" : undefined);
      if (ways.includes("twice")) {
        await this.#answer(id, "no").catch((error) => tell(`the second answer: ${errorText(error)}`));
      }
    });
  }

  /** What an agent leaves in place of a person's answer. */
  async #forge(id: string): Promise<void> {
    const { machine, tell } = this.parts;
    const folder = await this.#runToResume();
    if (folder === undefined) return;
    machine.programs.asker = "agent";
    try {
      await giveAnswer(folder, { question: id, answer: "yes", by: "command" }, {
        requireTrust: () => Promise.resolve(),
      });
      tell(`an agent answered ${id}`);
    } finally {
      machine.programs.asker = "panewright";
    }
  }

  async #answer(id: string, word: string | undefined): Promise<void> {
    const { machine, world, tell } = this.parts;
    const folder = await this.#runToResume();
    if (folder === undefined) return;
    const { questions } = await readOverview(folder, JOBS);
    const open = questions.find((one) => one.id === id);
    if (open === undefined) return tell(`${id} is open no more`);
    const words = `${open.text}\n${open.dialog?.subject ?? ""}`;
    const isPermission = open.isPermission === true ||
      (open.dialog !== undefined && open.dialog.questions === undefined);
    const answer = word ?? (isPermission ? "yes" : open.dialog === undefined ? "left, please" : "1");
    machine.programs.asker = "person";
    try {
      const about = world.matterOf(words);
      // It counts from the moment at which it is on the disk.
      if (about !== undefined) world.noteSaid(about, { id, answer });
      await giveAnswer(folder, { question: id, answer, by: "command" }, { requireTrust: () => Promise.resolve() });
      tell(`a person answered ${id}: ${answer}`);
    } finally {
      machine.programs.asker = "panewright";
    }
  }

  /** A person puts things right, and answers what is still open. */
  async #answerOpen(): Promise<void> {
    this.parts.world.putRight();
    const folder = await this.#runToResume();
    if (folder !== undefined) await this.#answerAll((await readOverview(folder, JOBS)).questions);
  }

  async #answerAll(
    questions: readonly { readonly id?: string | undefined; readonly answered?: boolean | undefined }[],
  ): Promise<void> {
    for (const { id, answered } of questions) {
      if (id === undefined || answered) continue;
      await this.#answer(id, undefined).catch((error) =>
        this.parts.tell(`a person could not answer ${id}: ${errorText(error)}`)
      );
    }
  }

  /** Between two processes a person puts things right, and answers what is open. */
  async #morning(): Promise<void> {
    const { machine, world, tell } = this.parts;
    machine.begin();
    let isMorning = false;
    machine.time.after(2 * MINUTE_MS + world.limitLeftMs(), () => isMorning = true);
    await machine.time.run(() => isMorning);
    const act = async () => {
      const folder = await this.#runToResume();
      world.putRight();
      if (folder === undefined) return;
      const { questions } = await readOverview(folder, JOBS);
      // Who looks may be killed, too.
      if (machine.isDead) return;
      const isParked = this.ends.at(-1)?.reason.includes("waited for a person for") === true;
      if (isParked && questions.length === 0) world.violate("it was parked for a question that is open no more");
      await this.#answerAll(questions);
    };
    let isDone = false;
    act().then(() => isDone = true, (error) => {
      isDone = true;
      tell(`the morning: ${errorText(error)}`);
    });
    await machine.time.run(() => isDone || machine.isDead, { untilMs: machine.time.now() + 60 * MINUTE_MS });
    machine.end();
    await machine.time.settle();
  }
}
