import { assertArrayIncludes, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { replayLaunchPlan, replayProvider } from "../../../lib/agents/replay/provider.ts";

Deno.test("a replayed agent is this very program, with the least permissions", () => {
  const { argv, cwd } = replayLaunchPlan({ workdir: "/a,b", role: "tester", args: ["--script", "/s/demo.json"] });
  assertEquals(argv[0], Deno.execPath());
  const record = "/a,b/.tmp/replay-tester.json";
  assertEquals(argv.slice(-7), ["replay-agent", "--role", "tester", "--record", record, "--script", "/s/demo.json"]);
  assertArrayIncludes(argv, ["--no-prompt", "--allow-read=/a,,b,/s/demo.json", "--allow-write=/a,,b"]);
  assertEquals(argv.filter((word) => /^(-A|--allow-(all|run|net|ffi|sys))/.test(word)), []);
  assertEquals(cwd, "/a,b");
});

Deno.test("a relative script belongs to the working directory, and another program can be named", () => {
  const { argv } = replayLaunchPlan({ workdir: "/w", role: "tester", args: ["--script", "s.json"] });
  assertArrayIncludes(argv, ["--allow-read=/w,/w/s.json"]);
  const other = replayLaunchPlan({ workdir: "/w", role: "tester", command: ["pw"], args: ["--script", "s.json"] });
  const record = "/w/.tmp/replay-tester.json";
  assertEquals(other.argv, ["pw", "replay-agent", "--role", "tester", "--record", record, "--script", "s.json"]);
});

Deno.test("a role without a script is refused with what to do", () => {
  for (const args of [[], ["--script"]]) {
    const error = assertThrows(() => replayLaunchPlan({ workdir: "/w", role: "tester", args }), UsageError, "tester");
    assertEquals((error as UsageError).hint, 'Add it to the role: "args": ["--script", "FILE"].');
  }
});

Deno.test("the screens of a replayed agent are read with the rules of Codex", () => {
  assertEquals(replayProvider.terminal.rules.provider, "replay");
  const options = [{ label: "Yes, proceed", key: "y", number: 1, selected: true }];
  const dialog = {
    kind: "command",
    heading: "",
    subject: undefined,
    subjectComplete: false,
    otherReadings: [],
    fingerprint: "",
    options,
  } as const;
  assertEquals(replayProvider.terminal.answerWay(dialog, "accept"), { by: "keys", keys: ["y"] });
});
