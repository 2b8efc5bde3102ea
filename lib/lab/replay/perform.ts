import { abortable } from "../../base/ports/abortable.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { ReplayStep } from "./script.ts";
import { renameProjectFile, writeProjectFile } from "./project_files.ts";
import { findResponseTarget } from "./response_target.ts";
import { addCell, type AgentState, type Cell, replaceLastCell } from "./state.ts";

export interface Stage {
  readonly workdir: string;
  readonly clock: Clock;
  update(change: (state: AgentState) => AgentState): void;
  askApproval(request: { readonly command: string; readonly reason: string }, signal: AbortSignal): Promise<boolean>;
  afterTurn(delayMs: number, act: () => Promise<void>): void;
}

export type TurnEnding =
  | { readonly type: "completed" }
  | { readonly type: "interrupted" }
  | { readonly type: "error"; readonly text: string }
  | { readonly type: "crashed"; readonly exitCode: number };

const STREAM_STEP_MS = 50;

export async function performTurn(
  steps: readonly ReplayStep[],
  options: { readonly prompt: string; readonly stage: Stage; readonly signal: AbortSignal },
): Promise<TurnEnding> {
  for (const step of steps) {
    options.signal.throwIfAborted();
    const result = await performStep(step, options);
    if (result) return result;
  }
  options.signal.throwIfAborted();
  return { type: "completed" };
}

type StepOptions = Parameters<typeof performTurn>[1];
type StepValue<K extends ReplayStep["kind"]> = Extract<ReplayStep, { kind: K }>["value"];

async function performStep(step: ReplayStep, options: StepOptions): Promise<TurnEnding | void> {
  const { stage, signal } = options;
  switch (step.kind) {
    case "think":
      return await stage.clock.sleep(step.value, signal);
    case "commentary":
      return show(stage, { type: "message", text: step.value, streaming: false });
    case "stream":
      return await streamMessage(step.value, options);
    case "explore":
      show(stage, { type: "explored", files: step.value.files, done: false });
      await stage.clock.sleep(step.value.ms, signal);
      return stage.update((state) => replaceLastCell(state, { type: "explored", files: step.value.files, done: true }));
    case "run":
      return await runCommand(step.value, options);
    case "respond":
      return await respond(step.value, options);
    case "writeFile":
      return await writeProjectFile(stage.workdir, step.value.path, { text: step.value.text });
    case "endless":
      return await abortable(() => new Promise<never>(() => {}), signal);
    case "fail":
      return { type: "error", text: step.value };
    case "crash":
      return { type: "crashed", exitCode: step.value.exitCode };
  }
}

async function streamMessage(value: StepValue<"stream">, { stage, signal }: StepOptions): Promise<void> {
  const characters = [...value.text];
  const perStep = Math.max(1, Math.round(value.charactersPerSecond * STREAM_STEP_MS / 1000));
  show(stage, { type: "message", text: "", streaming: true });
  for (let shown = perStep; shown < characters.length; shown += perStep) {
    const text = characters.slice(0, shown).join("");
    stage.update((state) => replaceLastCell(state, { type: "message", text, streaming: true }));
    await stage.clock.sleep(STREAM_STEP_MS, signal);
  }
  stage.update((state) => replaceLastCell(state, { type: "message", text: value.text, streaming: false }));
}

async function runCommand(value: StepValue<"run">, { stage, signal }: StepOptions): Promise<TurnEnding | undefined> {
  const { command } = value;
  show(stage, { type: "command", command, result: undefined });
  if (value.approval !== undefined) {
    const approved = await stage.askApproval({ command, reason: value.approval }, signal);
    stage.update((state) => replaceLastCell(state, { type: "decision", approved, command }));
    show(stage, { type: "command", command, result: undefined });
    if (!approved) return { type: "interrupted" };
  }
  await stage.clock.sleep(value.ms, signal);
  const result = { exitCode: value.exitCode, output: value.output };
  stage.update((state) => replaceLastCell(state, { type: "command", command, result }));
  return undefined;
}

async function respond(value: StepValue<"respond">, options: StepOptions): Promise<TurnEnding | undefined> {
  const { stage, signal } = options;
  const target = findResponseTarget(options.prompt);
  if (target === undefined) return { type: "error", text: "The prompt names no response file." };
  const { path, partialPath = path } = target;
  const writeWhole = async () => {
    await writeProjectFile(stage.workdir, partialPath, { text: value.text });
    if (partialPath !== path) await renameProjectFile(stage.workdir, { from: partialPath, to: path });
  };
  if (value.afterIdleMs !== undefined) {
    stage.afterTurn(value.afterIdleMs, writeWhole);
    return undefined;
  }
  const command = `cat > ${path}`;
  show(stage, { type: "command", command, result: undefined });
  if (value.pauseMs === 0) {
    await writeWhole();
  } else {
    const cut = Math.ceil(value.text.length / 2);
    await writeProjectFile(stage.workdir, path, { text: value.text.slice(0, cut) });
    await stage.clock.sleep(value.pauseMs, signal);
    await writeProjectFile(stage.workdir, path, { text: value.text.slice(cut), append: true });
  }
  stage.update((state) => replaceLastCell(state, { type: "command", command, result: { exitCode: 0, output: "" } }));
  return undefined;
}

function show(stage: Stage, cell: Cell): void {
  stage.update((state) => addCell(state, cell));
}
