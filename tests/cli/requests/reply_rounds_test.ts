import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { replyRounds } from "../../../lib/cli/requests/reply_rounds.ts";
import { openPullRequest } from "../../../lib/cli/requests/pull_request.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import { keepResult } from "../../../lib/workspace/result.ts";
import { openWorkspace } from "../../../lib/workspace/open_workspace.ts";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { runProgram } from "../../support/program.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

const CHECK = { name: "test", detailsUrl: "" };

/** A workspace with a request, and a forge that shows these checks, one view after another; the last one stays. */
async function requested(views: readonly (readonly object[])[]) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const shop = `${dir.path}/shop`;
  const env = { HOME: dir.path, PATH: `${dir.path}/bin:/usr/bin:/bin`, XDG_STATE_HOME: `${dir.path}/state` };
  const shell = async (script: string) => {
    const { code, stderr } = await runProgram(["sh", "-ec", script], { cwd: shop, env, timeoutMs: 20_000 });
    assertEquals(code, 0, stderr);
  };
  const files = views.map((
    statusCheckRollup,
    at,
  ) => [`views/${at + 1}`, JSON.stringify({ number: 7, url: "https://x/7", statusCheckRollup })]);
  await dir.write({ "shop/a.txt": "one\n", looks: "0", ...Object.fromEntries(files) });
  const gh = `#!/bin/sh
case "$*" in
"pr view "*number*) n=$(($(cat ${dir.path}/looks) + 1)); [ $n -le ${views.length} ] && echo $n > ${dir.path}/looks; cat ${dir.path}/views/$(cat ${dir.path}/looks);;
"api "*) echo '[]';;
*) cat > /dev/null; echo https://x/7;;
esac
`;
  await dir.write({ "bin/gh": gh });
  await Deno.chmod(`${dir.path}/bin/gh`, 0o755);
  await shell(`git init -q -b main; git config user.name P; git config user.email p@example.com; git add a.txt
    git commit -qm first; git init -q --bare ../origin.git; git remote add origin ../origin.git`);
  const io = fakeIo({ env, cwd: shop });
  const workspace = await openWorkspace(shop, { task: "Fix it", now: new Date(), signal: io.signal });
  const write = (text: string) => Deno.writeTextFile(`${workspace.tree}/a.txt`, text);
  await write("two\n");
  const on = {
    branch: workspace.name,
    remote: "origin",
    draft: false,
    signal: io.signal,
    env: (name: string) => ({ ...env } as Record<string, string>)[name],
  };
  const path = Deno.env.get("PATH");
  Deno.env.set("PATH", env.PATH);
  const open = async () => void await openPullRequest(workspace, await keepResult(workspace, io), on);
  const said: string[] = [];
  return {
    ...{ io, open, said, workspace },
    looks: async () => Number(await Deno.readTextFile(`${dir.path}/looks`)),
    rounds: (rounds: number, clock = createFakeClock()) =>
      clock.runUntilSettled(replyRounds(workspace, {
        ...{ io, remote: "origin", branch: workspace.name, text: "", rounds, clock },
        global: { json: false, quiet: false, verbose: false, color: NO_COLORS } as never,
        async reply(text) {
          said.push(text);
          await write(`round ${said.length}\n`);
          return 0;
        },
        lastRunAt: () => Promise.resolve("2026-11-29T10:00:00Z"),
      })).finally(() => clock[Symbol.dispose]()),
    async [Symbol.asyncDispose]() {
      if (path === undefined) Deno.env.delete("PATH");
      else Deno.env.set("PATH", path);
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const failed = { ...CHECK, status: "COMPLETED", conclusion: "FAILURE" };
const passed = { ...CHECK, status: "COMPLETED", conclusion: "SUCCESS" };
const running = { ...CHECK, status: "IN_PROGRESS" };

Deno.test("rounds on a request: checks that run are waited for, and those of what was pushed, which begin a moment later", async () => {
  await using of = await requested([[running], [running], [failed], [], [], [running], [passed]]);
  await of.open();
  assertEquals(await of.rounds(3), 0);
  assertEquals([of.said.length, await of.looks()], [1, 7]);
  assertMatch(
    of.io.written.stderr,
    /^waits for checks of https:\/\/x\/7\npushed: https:\/\/x\/7\nwaits for checks of https:\/\/x\/7\nNothing is left to do of https:\/\/x\/7/,
  );
});

Deno.test("rounds on a request end where they are used up, and say that something is left; one round waits for nothing", async () => {
  await using of = await requested([[failed]]);
  await of.open();
  assertEquals(await of.rounds(2), 1);
  assertEquals(of.said.length, 2);
  assertMatch(of.io.written.stderr, /Something is left to do of https:\/\/x\/7, and 2 rounds are done\.\n$/);
  await using single = await requested([[running, failed]]);
  await single.open();
  assertEquals([await single.rounds(1), single.said.length, await single.looks()], [0, 1, 1]);
});

Deno.test("a workspace without a request that panewright has opened is refused", async () => {
  await using of = await requested([[passed]]);
  await assertRejects(() => of.rounds(1), UsageError, "it has no request that panewright has opened");
});
