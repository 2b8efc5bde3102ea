import { assertEquals, assertStringIncludes } from "@std/assert";
import { generateKeys } from "../../lib/lab/rule_packs/keys.ts";
import { VERSION } from "../../lib/base/version.ts";
import { parseEvents } from "../support/panewright.ts";
import { signedPack } from "../support/rule_packs.ts";
import { until } from "../support/until.ts";
import { reviewProject } from "./review_project.ts";

Deno.test("a run reads real Codex agents with the installed rules to its end, and a resume with those of then", async () => {
  await using project = await reviewProject({ thinkMs: 50 });
  const { sandbox } = project;
  const call = async (...args: readonly string[]) => {
    const done = await project.run(...args);
    assertEquals(done.code, 0, done.stderr);
    return done.stdout;
  };
  const keys = await generateKeys();
  await Deno.writeTextFile(`${sandbox.root}/team.pub`, keys.public);
  await Deno.writeTextFile(`${sandbox.root}/pack.json`, await signedPack(keys));
  await call("rules", "trust", "--yes", `${sandbox.root}/team.pub`);
  await call("rules", "update", "--from", `${sandbox.root}/pack.json`);

  await using run = project.start("run", "panewright.jsonc", "--json");
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
