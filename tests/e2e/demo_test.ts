import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { panewrightCommands, parseEvents } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

Deno.test("after Ctrl-C nothing of a demo is left, and nobody is told to resume it; what --keep has kept can be", async () => {
  const [panewright] = await panewrightCommands();
  for (const keep of [false, true]) {
    await using sandbox = await createSandbox();
    await using demo = startProgram([...panewright!.argv, "demo", ...(keep ? ["--keep"] : [])], {
      cwd: sandbox.project,
      env: { ...sandbox.env, ...panewright!.env },
    });
    await until(() => demo.output.stderr.includes("round 1 of 3"));
    if (keep) {
      // What it says to watch the agents with does so, in the same folder.
      const [, attach = ""] = /watch the agents with: (.*)/.exec(demo.output.stderr) ?? [];
      const watched = await runProgram(["sh", "-c", `${attach} --print`], {
        cwd: sandbox.project,
        env: { ...sandbox.env, ...panewright!.env },
        timeoutMs: 60_000,
      });
      assertMatch(watched.stdout, /^tmux .*attach-session /, `${attach}: ${watched.stderr}`);
    }
    demo.kill("SIGINT");
    const { code, stdout, stderr } = await demo.ended;
    assertEquals(code, 130);
    assertEquals([/^ +resume +continue/m.test(stdout), stderr.includes("Kept: ")], [keep, keep]);
    if (!keep) await sandbox.assertNothingLeft();
  }
});

for (const panewright of await panewrightCommands()) {
  Deno.test(`demo shows a job of two rounds in under a minute, and tells what it did (from ${panewright.name})`, async () => {
    await using sandbox = await createSandbox();
    const { code, stdout, stderr } = await runProgram([...panewright.argv, "demo", "--json"], {
      cwd: sandbox.project,
      env: { ...sandbox.env, ...panewright.env },
      timeoutMs: 60_000,
    });
    assertEquals(code, 0, stderr);
    assertNotMatch(stderr, /^\s+at .+:\d+:\d+\)?$/m);
    const events = parseEvents(stdout);
    assertEquals(
      events.filter((event) => event.type === "round_finished").map((event) => event.verdict),
      ["FAIL", "PASS"],
    );
    const last = events.at(-1);
    assertEquals([last?.type, last?.outcome, last?.rounds], ["run_finished", "pass", 2]);
    const shown = stderr.slice(stderr.indexOf("What the agents changed"));
    assertStringIncludes(shown, '\n  -echo "Hello, $1!"\n  +[ $# -gt 0 ] || set -- world\n');
    assertMatch(shown, /after round 1: FAIL\n {2}ok: one name\n[^]*\n {2}FAILED: no name: .*\n/);
    assertMatch(shown, /after round 2: PASS\n[^]*\n {2}ok: no name\n/);
    assertMatch(shown, /What it took\n {2}\d+ s, 2 rounds, 12 turns\n {2}no tokens: /);
    // What it says to type next does what it says.
    const [init = ""] = /^ +(\S.*) init$/m.exec(shown) ?? [];
    const next = await runProgram(["sh", "-c", `${init.trim()} --help`], {
      cwd: sandbox.home,
      env: { ...sandbox.env, ...panewright.env },
      timeoutMs: 60_000,
    });
    assertEquals(next.code, 0, next.stderr);
    assertMatch(next.stdout, /^panewright init: /);
    await sandbox.assertNothingLeft();
  });
}
