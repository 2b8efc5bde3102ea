import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { startProgram } from "../../support/program.ts";
import { cleanEnvironment, panewrightArgv } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DRIVER = new URL("./watchdog_driver.ts", import.meta.url).pathname;

Deno.test("a program whose event loop stands still is ended by signals, with what carries its mark", async () => {
  await using dir = await tempDir();
  const fifo = `${dir.path}/fifo`;
  await new Deno.Command("mkfifo", { args: [fifo] }).output();
  const mark = crypto.randomUUID();
  const place = { cwd: dir.path, env: cleanEnvironment({ WATCHDOG_MARK: mark }) };
  // An agent that minds no signal but the last.
  await using agent = startProgram(["sh", "-c", "trap '' INT TERM HUP; sleep 36000 & wait"], place);
  await using other = startProgram(["sleep", "36000"], { ...place, env: { ...place.env, WATCHDOG_MARK: "another" } });
  const [deno, ...rest] = panewrightArgv(["--permission-set=tests"]);
  const argv = [deno, ...rest.slice(0, -1), DRIVER, fifo, mark] as const;
  await using program = startProgram(argv, { cwd: dir.path, env: cleanEnvironment() });
  let ended = 0;
  for (const one of [agent, program]) one.ended.then(() => ended++);
  await until(() => program.output.stdout.includes("guarded"), Boolean, () => program.output.stderr);
  // Signals are sent until two have come after the thread began to listen.
  await until(
    () => {
      if (ended === 0) program.kill("SIGINT");
      return ended === 2;
    },
    Boolean,
    () => JSON.stringify(program.output),
  );
  assertEquals([(await agent.ended).code, (await program.ended).code], [137, 137]);
  assert(await exists(`${fifo}.done`));
  other.kill("SIGTERM");
  assertEquals((await other.ended).code, 143);
});
