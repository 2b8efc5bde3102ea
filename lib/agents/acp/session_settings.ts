import { type PanewrightError, UsageError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { AcpReplyError } from "./protocol/errors.ts";
import { ACP_QUESTIONS } from "./protocol/questions.ts";
import type { AcpSessionState } from "./protocol/shapes.ts";
import type { Opening, SessionRequest } from "./opening.ts";

/** How long an agent may take to tell of a mode that it was put in. */
const READ_BACK_MS = 2000;
const LOOK_EVERY_MS = 20;

const MAX_LISTED = 50;
const MAX_WORD_CHARS = 100;

interface Setting {
  readonly sessionId: string;
  readonly state: AcpSessionState;
  readonly request: SessionRequest;
  readonly opening: Opening;
}

/** Puts a session into the mode that asks, sets its options and its model, and returns the mode that it is in. */
export async function setUpSession(setting: Setting): Promise<string | undefined> {
  const { opening, request: { provider }, state: { modes, options } } = setting;
  const { id: wanted, options: others = {} } = provider.acp.ask_mode ?? {};
  opening.forgetSettings();
  const mode = wanted ?? modes?.current ?? options?.find(({ category }) => category === "mode")?.value;
  if (wanted !== undefined) await setMode(setting, wanted);
  for (const [id, value] of Object.entries(others)) await setOption(setting, id, value);
  await setModel(setting);
  // What was set first may have changed with what was set last.
  if (wanted !== undefined && (opening.mode ?? mode) !== wanted) throw asksNot(provider, `its mode is ${opening.mode}`);
  for (const [id, value] of Object.entries(others)) {
    const now = opening.options?.find((one) => one.id === id)?.value ?? value;
    if (now !== value) throw asksNot(provider, `its option ${id} is ${now}, and not ${value}`);
  }
  return mode;
}

async function setMode(setting: Setting, wanted: string): Promise<void> {
  const { opening, request: { ask, provider }, sessionId, state: { modes, options } } = setting;
  const option = options?.find(({ category }) => category === "mode");
  const current = modes?.current ?? option?.value;
  const offered = modes?.ids ?? option?.choices ?? [];
  if (current === undefined) throw asksNot(provider, "its session has no modes");
  if (!offered.includes(wanted)) {
    throw asksNot(provider, `it offers the modes ${listed(offered)}, and not ${wanted}`);
  }
  if (current === wanted) return;
  let told: string | undefined;
  try {
    if (modes !== undefined) await ask(ACP_QUESTIONS.setMode({ sessionId, modeId: wanted }));
    else told = await chooseOption(setting, option!.id, wanted);
  } catch (error) {
    throw error instanceof AcpReplyError
      ? asksNot(provider, `it refuses the mode ${wanted}: ${error.reply.reason}`)
      : error;
  }
  const now = await readBack(setting, () => told ?? opening.mode, wanted);
  if (now === wanted) return;
  throw asksNot(
    provider,
    now === undefined ? `it does not confirm that it is in the mode ${wanted}` : `its mode is ${now}`,
  );
}

async function setOption(setting: Setting, id: string, wanted: string): Promise<void> {
  const { request: { provider }, state: { options } } = setting;
  const option = options?.find((one) => one.id === id);
  if (option === undefined) throw asksNot(provider, `its session has no option ${id}`);
  if (option.value === wanted) return;
  const now = await chooseOption(setting, id, wanted).catch((error) => {
    throw error instanceof AcpReplyError
      ? asksNot(provider, `it refuses ${id} ${wanted}: ${error.reply.reason}`)
      : error;
  });
  if (now !== wanted) throw asksNot(provider, `its option ${id} is ${now ?? "not reported"}, and not ${wanted}`);
}

async function setModel(setting: Setting): Promise<void> {
  const { request: { ask, model, provider }, sessionId, state: { models, options } } = setting;
  const by = provider.acp.model;
  if (model === undefined || by === undefined) return;
  const fail = (why: string, more = {}) =>
    new UsageError(`Cannot use the model ${model}: ${provider.label} ${why}`, more);
  try {
    if (by.by === "session_model" && models?.current !== model) {
      await ask(ACP_QUESTIONS.setModel({ sessionId, modelId: model }));
    }
    const now = by.by === "config_option" ? await chooseOption(setting, by.id, model) ?? "its own" : model;
    if (now !== model) throw fail(`uses ${sanitizeLine(now)}`);
  } catch (error) {
    if (!(error instanceof AcpReplyError)) throw error;
    const offered = models?.ids ?? options?.find(({ category }) => category === "model")?.choices ?? [];
    throw fail(`refuses it: ${error.reply.reason}`, {
      ...(offered.length === 0 ? {} : { hint: `It offers ${sanitizeLine(listed(offered))}.` }),
      cause: error,
    });
  }
}

async function chooseOption(setting: Setting, id: string, wanted: string): Promise<string | undefined> {
  const { opening, request: { ask }, sessionId, state } = setting;
  const option = state.options?.find((one) => one.id === id);
  const isSwitch = option !== undefined && option.choices === undefined;
  const value = isSwitch ? wanted === "on" : wanted;
  const { options } = await ask(ACP_QUESTIONS.setOption({ sessionId, configId: id, value }));
  if (options !== undefined) opening.tell(options);
  return await readBack(setting, () => opening.options?.find((one) => one.id === id)?.value, wanted);
}

async function readBack(
  { request: { clock, signal } }: Setting,
  told: () => string | undefined,
  wanted: string,
): Promise<string | undefined> {
  for (const untilMs = clock.now() + READ_BACK_MS; told() !== wanted && clock.now() < untilMs;) {
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return told();
}

function asksNot({ label }: AcpAgentProvider, why: string): PanewrightError {
  return new UsageError(`Cannot have ${label} ask before it acts: ${sanitizeLine(why)}`, {
    hint: "Another version of the agent may have other modes: see panewright agents.",
  });
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, MAX_LISTED).map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed());
  return [...shown, ...words.length > shown.length ? [`${words.length - shown.length} more`] : []].join(", ");
}
