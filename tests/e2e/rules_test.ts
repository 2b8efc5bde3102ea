import { assertEquals, assertStringIncludes } from "@std/assert";
import { generateKeys } from "../../lib/lab/rule_packs/keys.ts";
import { VERSION } from "../../lib/base/version.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { signedPack } from "../support/rule_packs.ts";
import { until } from "../support/until.ts";
import { setUpCodexProject } from "./codex_project.ts";

const RUN_TIMEOUT_MS = 180_000;

Deno.test("a run reads real Codex agents with the installed rules to its end, and a resume with those of then", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpCodexProject({ panewright, thinkMs: 50 });
  const { sandbox, env } = project;
  const cwd = sandbox.project;
  const call = async (...args: readonly string[]) => {
    const done = await runProgram([...panewright.argv, ...args], { cwd, env, timeoutMs: RUN_TIMEOUT_MS });
    assertEquals(done.code, 0, done.stderr);
    return done.stdout;
  };
  const keys = await generateKeys();
  await Deno.writeTextFile(`${sandbox.root}/team.pub`, keys.public);
  await Deno.writeTextFile(`${sandbox.root}/pack.json`, await signedPack(keys));
  await call("rules", "trust", "--yes", `${sandbox.root}/team.pub`);
  await call("rules", "update", "--from", `${sandbox.root}/pack.json`);

  await using run = startProgram([...panewright.argv, "run", "panewright.jsonc", "--json"], { cwd, env });
  const events = () => parseEvents(run.output.stdout.slice(0, run.output.stdout.lastIndexOf("\n") + 1));
  const received = () => events().filter(({ type }) => type === "response_received").length;
  await until(() => received() >= 1);
  assertStringIncludes(await call("rules", "rollback"), "(built in) is in use");
  // What it started with, it keeps.
  await until(() => received() >= 2);
  run.kill("SIGINT");
  assertEquals((await run.ended).code, 130);
  const [started] = events() as readonly { readonly rules?: Readonly<Record<string, { readonly version: string }>> }[];
  assertEquals(started?.rules?.["codex"]?.version, `${VERSION}.1`);

  const resumed = parseEvents(await call("resume", "--json"));
  const [first] = resumed as readonly {
    readonly type: string;
    readonly rules?: object;
    readonly rulesBefore?: object;
  }[];
  assertEquals([first?.type, first?.rules, first?.rulesBefore], [
    "run_resumed",
    { codex: { version: VERSION } },
    started?.rules,
  ]);
  assertEquals(resumed.at(-1)?.outcome, "pass");
  await sandbox.assertNothingLeft();
});
