import config from "../../fixtures/demo/config.json" with { type: "json" };
import files from "../../fixtures/demo/files.json" with { type: "json" };
import type { LoggedPrompt } from "../../lib/lab/replay/prompt_log.ts";
import { demoReplay } from "../support/demo_replay.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { createSandbox } from "../support/sandbox.ts";
import { type Delivery, placeOfPrompt } from "./evidence.ts";
import type { ChaosJob, Stage } from "./stage.ts";

/** The job of `panewright demo`, with agents that take a third of the time and log each prompt that they take. */
export const DEMO_JOB: ChaosJob = {
  name: "demo",
  figures: { spanMs: 11_500, records: 115, turns: 12, blows: [4, 9] },
  patienceMs: 240_000,
  setUp,
};

const PACE = 0.3;
const PROMPT_LOG = ".panewright/prompts.ndjson";

async function setUp(panewright: PanewrightCommand): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await createSandbox());
  const { project } = sandbox;
  for (const [path, lines] of Object.entries(files)) {
    await Deno.writeTextFile(`${project}/${path.replace(/^project\//, "")}`, lines.join("\n"));
  }
  await Deno.writeTextFile(`${project}/replay.json`, demoReplay(PACE));
  await Deno.writeTextFile(
    `${project}/panewright.json`,
    JSON.stringify({
      ...config,
      wd: ".",
      // A replayed agent keeps no record: after each resume its screen alone has to tell that it rests.
      quiet_seconds: 1,
      providers: { replay: { args: ["--script", "replay.json", "--log", PROMPT_LOG] } },
      handoff: { ...config.handoff, poll_seconds: 0.2 },
    }),
  );
  const resources = stack.move();
  return {
    sandbox,
    env: { ...sandbox.env, ...panewright.env },
    config: "panewright.json",
    deliveries: () => readPromptLog(`${project}/${PROMPT_LOG}`),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function readPromptLog(path: string): Promise<readonly Delivery[]> {
  const text = await Deno.readTextFile(path);
  return text.trimEnd().split("\n").map((line) => {
    const { at, role, pid, prompt }: LoggedPrompt = JSON.parse(line);
    return { atMs: Date.parse(at), role, pid, turnId: placeOfPrompt(prompt)?.turnId };
  });
}
