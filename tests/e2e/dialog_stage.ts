import { spoolAt } from "../../lib/agents/spool.ts";
import type { DialogFact } from "../../lib/journal/loop/facts.ts";
import { responseFileInstruction } from "../../lib/turn/instruction.ts";
import { DEFAULT_PERMISSION_POLICY, type PermissionPolicy } from "../../lib/policy/mod.ts";
import { DEFAULT_HANDOFF_SETTINGS, type HandoffSettings } from "../../lib/turn/settings.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import { openAuditLog } from "../../lib/turn/desk/audit.ts";
import { createRunFolder } from "../../lib/run/run_folder.ts";
import { claimRunMail } from "../../lib/run/run_mail.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { openHookChannel } from "../../lib/turn/desk/hook_channel.ts";
import { createPaneDesk } from "../../lib/turn/desk/pane_desk.ts";
import type { DialogDeskContext } from "../../lib/turn/desk/desk_context.ts";
import type { HookCommand } from "../../lib/agents/hook_command.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { type AgentStage, setUpStage } from "./agent_stage.ts";
import { runProgram } from "../support/program.ts";
import { leaveAnswerFor } from "../support/run_mail.ts";

/** What a turn of a real agent is played with. */
export interface DialogStageOptions
  extends Pick<Parameters<typeof setUpStage>[0], "provider" | "tui" | "size" | "args"> {
  /** What the model does, prompt by prompt, before it writes its response. */
  readonly prompts: readonly Turn[];
  readonly policy?: Partial<PermissionPolicy>;
  readonly settings?: Partial<HandoffSettings>;
  readonly dialogTimeoutSeconds?: number;
  /** What a person says to a dialog, as they would with `panewright answer`. */
  readonly person?: (
    event: Extract<DialogFact, { type: "dialog_waiting" }>,
  ) => string | undefined | Promise<string | undefined>;
  readonly prepare?: (project: string) => Promise<void>;
  /** @default {true} whether the agent's CLI asks by its hook */
  readonly hooks?: boolean;
  /** Whether its CLI asks before each call as well. @default {false} */
  readonly calls?: boolean;
  /** Codex' model. */
  readonly model?: string;
}

/** A real agent that is about to play a turn. */
export interface DialogStage extends AsyncDisposable {
  readonly stage: AgentStage;
  readonly agent: AgentTerminal;
  readonly project: string;
  /** What a desk of the run knows. */
  readonly context: DialogDeskContext;
  /** What the agent's CLI starts as its hook. */
  readonly hook: HookCommand | undefined;
  readonly events: readonly DialogFact[];
  readonly logs: readonly string[];
  /** The prompts that the model got. */
  readonly asked: readonly string[];
  /** Sends the prompt and waits for the response. */
  play(): Promise<string>;
  /** Decisions of the audit log, but for the response file's: "allow command touch one", paths from the project on. */
  decisions(): readonly string[];
  /** Where each of these decisions had its words from: `hook`. */
  sources(): readonly string[];
  /** Whether a decision of the audit log is about exactly this. */
  recorded(command: string): Promise<boolean>;
  /** All that the CLIs keep of the conversation. */
  told(): Promise<string>;
  /** What the decisions came to. */
  results(): readonly string[];
}

/** Text of the agent's last message in a turn. */
const RESPONSE = "All of it is done.";

/** Sets up a real agent with a desk for its dialogs, as a run has them. */
export async function setUpDialogs(options: DialogStageOptions): Promise<DialogStage> {
  await using stack = new AsyncDisposableStack();
  const asked: string[] = [];
  const isCodex = options.provider === "codex";
  const respond = (request: ModelRequest): Turn => {
    const prompt = request.prompts.at(-1) ?? "";
    const steps = options.prompts[asked.length] ?? [];
    asked.push(prompt);
    const path = [...prompt.matchAll(/(\/[^\s'"]+\/\.tmp\/agent-responses\/\w+\.md)/g)].at(-1)?.[1] ?? "";
    const command = `cat > '${path}' <<'END_OF_RESPONSE'\n${RESPONSE}\nEND_OF_RESPONSE`;
    return [
      ...steps,
      { do: "shell", command, ...(isCodex ? { escalate: "May I write my response?" } : {}) },
      { do: "say", text: "My response is there." },
    ];
  };
  const stage = stack.use(
    await setUpStage({
      ...options,
      respond,
      guarded: isCodex,
      prepare: async ({ project }) => {
        await options.prepare?.(project);
      },
    }),
  );
  const { project } = stage.sandbox;
  const hooks = options.hooks === false ? undefined : stack.use(
    await openHookChannel({ place: spoolAt(`${stage.sandbox.root}/hooks`) }),
  );
  const hook = hooks?.hookOf("tester");
  const agent = await stage.start("tester", {
    ...(hook === undefined ? {} : { hook }),
    ...(options.calls === true && hooks !== undefined ? { callHook: hooks.callHookOf("tester") } : {}),
  });
  const folder = await createRunFolder(project, { now: new Date() });
  const audit = stack.use(await openAuditLog(folder.auditPath, { run: folder.id, secrets: [] }));
  const events: DialogFact[] = [];
  const logs: string[] = [];
  const handoff: HandoffSettings = {
    ...DEFAULT_HANDOFF_SETTINGS,
    pollSeconds: 0.25,
    acceptCooldownSeconds: 0,
    autoAcceptPermissions: true,
    responseTimeoutSeconds: 60,
    ...options.settings,
  };
  let questions = 0;
  const emit = (event: DialogFact) => {
    events.push(event);
    if (event.type !== "dialog_waiting" || event.question === undefined) return;
    void leaveAnswer(event.question, options.person?.(event));
  };
  const leaveAnswer = async (question: string, said: string | undefined | Promise<string | undefined>) => {
    const answer = await said;
    if (answer !== undefined) await leaveAnswerFor(folder, { question, answer, by: "command", answeredAt: "" });
  };
  const context: DialogDeskContext = {
    plan: {
      workdir: project,
      handoff,
      permissions: {
        policy: { ...DEFAULT_PERMISSION_POLICY, ...options.policy },
        dryRun: false,
        modelAnswers: "questions",
        hookTrial: "off",
        acceptTypedInput: false,
        answersFrom: "person",
        dialogTimeoutSeconds: options.dialogTimeoutSeconds ?? 30,
      },
    },
    answers: await claimRunMail(folder),
    audit,
    ...(hooks === undefined ? {} : { hooks }),
    emit,
    warn: () => {},
    onStuck: () => ({ withdraw() {} }),
    redact: (text) => text,
    openQuestions: () => [],
    nextQuestionId: () => `q${++questions}`,
    person: undefined,
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const play = async () => {
    const desk = createPaneDesk(context, { turnId: "r1-tester", role: "tester", terminal: agent });
    const text = await playTurn(agent, {
      role: "tester",
      message: `Do the work.\n\n${responseFileInstruction(project, "tester")}`,
      workdir: project,
      settings: handoff,
      emit: (event) => void (event.type === "notice" && logs.push(event.message)),
      dialogs: desk,
    });
    return text.trim();
  };
  const records = (): readonly Record<string, unknown>[] =>
    Deno.readTextFileSync(folder.auditPath).split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const decided = () =>
    records().filter(({ type }) => type === "decision").filter(({ command }) =>
      !String(command).includes("agent-responses")
    );
  const resources = stack.move();
  return {
    stage,
    agent,
    project,
    context,
    hook,
    events,
    logs,
    asked,
    play,
    decisions: () =>
      decided().map(({ decision, kind, command }) =>
        `${decision} ${kind} ${command ?? ""}`.trim().replace(`${project}/`, "")
      ),
    recorded: (command) => Promise.resolve(decided().some((record) => record["command"] === command)),
    async told() {
      // The CLI is still there, and makes and removes folders meanwhile: a walk would trip over them.
      const argv = ["find", stage.sandbox.root, "-name", "*.jsonl", "-type", "f", "-exec", "cat", "{}", "+"] as const;
      return (await runProgram(argv, { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 30_000 })).stdout;
    },
    sources: () => decided().map(({ source }) => String(source)),
    results: () => records().filter(({ type }) => type === "outcome").map(({ result }) => String(result)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What the model writes to the response file at the end of each turn. */
export { RESPONSE };
