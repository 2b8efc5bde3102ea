import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import type { CommandSpec } from "../../lib/base/ports/process.ts";
import { claudeSandbox, findSettingsProblem } from "../../lib/agents/claude_code/sandbox.ts";
import { codexSandbox, findTurnProblem, foldCodexSandbox } from "../../lib/agents/codex/sandbox.ts";
import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { createCodexReader } from "../../lib/agents/codex/reader.ts";
import { replayProvider } from "../../lib/agents/replay/provider.ts";
import { requireSandbox } from "../../lib/agents/require_sandbox.ts";
import { createSandboxWatch } from "../../lib/agents/pane/sandbox_watch.ts";
import type { Decision } from "../../lib/screen/classify.ts";
import { stillClock } from "../support/still_clock.ts";
import { tempDir } from "../support/temp_dir.ts";

const FOLDERS = ["/work", "/cache"];
const PATH = (path: string) => ({ path: { type: "path", path }, access: "write" });
const SPECIAL = (kind: string) => ({ path: { type: "special", value: { kind } }, access: "write" });

/** A turn_context as 0.169.0 writes it. */
function turnContext(
  change: { policy?: object; entries?: readonly object[]; network?: string; approval?: string } = {},
) {
  return {
    approval_policy: change.approval ?? "never",
    permission_profile: {
      type: "managed",
      file_system: {
        type: "restricted",
        entries: [
          { path: { type: "special", value: { kind: "root" } }, access: "read" },
          PATH("/work"),
          SPECIAL("tmpdir"),
          ...change.entries ?? [],
        ],
      },
      network: change.network ?? "restricted",
    },
    sandbox_policy: { type: "workspace-write", network_access: false, exclude_slash_tmp: true, ...change.policy },
  };
}

Deno.test("a turn of Codex is in the sandbox only if its record says all of it", () => {
  const problem = (change: Parameters<typeof turnContext>[0]) => findTurnProblem(turnContext(change), FOLDERS);
  assertEquals(problem({}), undefined);
  assertEquals(problem({ entries: [PATH("/cache/x")], policy: { writable_roots: ["/cache"] } }), undefined);
  assertEquals(problem({ policy: { type: "danger-full-access" } }), "it is danger-full-access");
  assertEquals(problem({ policy: { network_access: true } }), "the network is on");
  assertEquals(problem({ network: "enabled" }), "the network is on");
  assertEquals(problem({ policy: { writable_roots: ["/etc"] } }), "commands may write to /etc");
  assertEquals(problem({ entries: [PATH("/workshop")] }), "commands may write to /workshop");
  assertEquals(problem({ entries: [SPECIAL("slash_tmp")] }), "commands may write to slash_tmp");
  assertEquals(problem({ entries: [SPECIAL("root")] }), "commands may write to root");
  assertEquals(problem({ policy: { exclude_slash_tmp: false } }), "commands may write to /tmp");
  assertEquals(problem({ approval: "on-request" }), 'commands may leave it (approval policy "on-request")');
  assertEquals(findTurnProblem({}, FOLDERS), "its session log does not say");
  assertEquals(findTurnProblem({ sandbox_policy: { mode: "workspace-write" } }, FOLDERS), "the network is on");
});

Deno.test("turns of an earlier process do not count, and one that was outside of the sandbox is not forgotten", () => {
  const line = (timestamp: string, payload: object) => JSON.stringify({ timestamp, type: "turn_context", payload });
  const options = { folders: FOLDERS, startedAt: Date.parse("2026-11-22T03:00:00Z") };
  const outside = { sandbox_policy: { type: "danger-full-access" } };
  const lines = [
    line("2026-11-22T02:59:59Z", outside),
    line("2026-11-22T03:00:01Z", turnContext()),
    line("2026-11-22T03:00:02Z", outside),
    line("2026-11-22T03:00:03Z", turnContext()),
  ];
  const report = (lines: readonly string[]) =>
    lines.flatMap((each) => createCodexReader({}).readLog(each))
      .reduce((report, event) => foldCodexSandbox(report, event, options), { turns: 0 });
  const reports = lines.map((_, count) => report(lines.slice(0, count + 1)));
  assertEquals(reports, [
    { turns: 0 },
    { turns: 1 },
    { turns: 1, problem: "it is danger-full-access" },
    { turns: 1, problem: "it is danger-full-access" },
  ]);
  const quoted = JSON.stringify({ type: "response_item", payload: { text: '"turn_context"', ...outside } });
  assertEquals(report([quoted]), { turns: 0 });
});

/** The settings that came of all sources, as 2.1.328 answers. */
function settings(change: { sandbox?: object; permissions?: object; applied?: object } = {}) {
  return {
    effective: {
      sandbox: {
        enabled: true,
        failIfUnavailable: true,
        allowUnsandboxedCommands: false,
        network: { allowedDomains: [], strictAllowlist: true },
        filesystem: { allowWrite: ["/cache"], disabled: false },
        ...change.sandbox,
      },
      permissions: { allow: ["Bash(ls)", "Edit(/src/**)"], ...change.permissions },
    },
    applied: { outsideFileToolWritesBlocked: true, ...change.applied },
  };
}

Deno.test("Claude Code is in the sandbox only if its settings, of all sources, open nothing", () => {
  const problem = (change: Parameters<typeof settings>[0]) => findSettingsProblem(settings(change), FOLDERS);
  assertEquals(problem({}), undefined);
  const network = (value: object) => ({ sandbox: { network: { strictAllowlist: true, ...value } } });
  const wrong: readonly [Parameters<typeof settings>[0], string][] = [
    [{ sandbox: { enabled: false } }, "sandbox.enabled: false"],
    [{ sandbox: { failIfUnavailable: undefined } }, "sandbox.failIfUnavailable: nothing"],
    [{ sandbox: { allowUnsandboxedCommands: true } }, "sandbox.allowUnsandboxedCommands: true"],
    [{ sandbox: { excludedCommands: ["docker *"] } }, 'sandbox.excludedCommands: ["docker *"]'],
    [{ sandbox: { enableWeakerNestedSandbox: true } }, "sandbox.enableWeakerNestedSandbox: true"],
    [{ sandbox: { allowNestedUserNamespaces: "yes" } }, 'sandbox.allowNestedUserNamespaces: "yes"'],
    [{ sandbox: { filesystem: { disabled: true } } }, "sandbox.filesystem.disabled: true"],
    [{ sandbox: { filesystem: { allowWrite: ["~/.npm"] } } }, 'sandbox.filesystem.allowWrite: "~/.npm"'],
    [{ sandbox: { filesystem: { allowWrite: ["../up"] } } }, 'sandbox.filesystem.allowWrite: "../up"'],
    [network({ allowedDomains: ["x.example"] }), 'sandbox.network.allowedDomains: ["x.example"]'],
    [network({ httpProxyPort: 8080 }), "sandbox.network.httpProxyPort: 8080"],
    [network({ allowUnixSockets: ["/run/docker.sock"] }), 'sandbox.network.allowUnixSockets: ["/run/docker.sock"]'],
    [{ sandbox: { network: {} } }, "sandbox.network.strictAllowlist: nothing"],
    [{ permissions: { additionalDirectories: ["/home/me"] } }, 'permissions.additionalDirectories: "/home/me"'],
    [{ permissions: { allow: ["Edit(//etc/**)"] } }, 'permissions.allow: "Edit(//etc/**)"'],
    [{ permissions: { allow: ["WebFetch(domain:x.example)"] } }, 'permissions.allow: "WebFetch(domain:x.example)"'],
  ];
  for (const [change, told] of wrong) assertEquals(problem(change), `its settings have ${told}`);
  const outside = "its tools may write files outside of the working directory";
  assertEquals(problem({ applied: { outsideFileToolWritesBlocked: false } }), outside);
  assertEquals(findSettingsProblem({ effective: settings().effective }, FOLDERS), outside);
  assertEquals(findSettingsProblem({}, FOLDERS), "its settings have sandbox.enabled: nothing");
});

Deno.test("arguments that go before the sandbox are found however they are spelled", () => {
  for (
    const args of [
      ["-s", "danger-full-access"],
      ["-sdanger-full-access"],
      ["--sandbox=danger-full-access"],
      ["--dangerously-bypass-approvals-and-sandbox"],
      ["--yolo"],
      ["--full-auto"],
      ["-a", "on-request"],
      ["--add-dir", "/etc"],
      ["-C/etc"],
      ["-c", "sandbox_workspace_write.network_access=true"],
      ["-csandbox_mode='danger-full-access'"],
      ["--config=approval_policy=on-request"],
      ["--config", ' "sandbox_mode"="danger-full-access"'],
      ["-c", "permissions.wide.filesystem={}"],
    ]
  ) assertEquals(codexSandbox.findLoosening(["--search", ...args]), args[0], args.join(" "));
  assertEquals(
    codexSandbox.findLoosening(["--search", "-c", "model_reasoning_effort=high", "--model", "m"]),
    undefined,
  );
  for (
    const arg of [
      "--settings",
      "--settings={}",
      "--setting-sources",
      "--dangerously-skip-permissions",
      "--allow-dangerously-skip-permissions",
      "--permission-mode=bypassPermissions",
      "--add-dir",
    ]
  ) assertEquals(claudeSandbox.findLoosening(["--verbose", arg, "x"]), arg);
  assertEquals(claudeSandbox.findLoosening(["--allowedTools", "Bash", "--model", "m"]), undefined);
});

Deno.test("an agent is not started whose CLI has no sandbox, does not tell, or is told to leave it", async () => {
  await using home = await tempDir();
  const specs: CommandSpec[] = [];
  const trial = (stdout: string, args: readonly string[] = []) => ({
    name: "tester",
    sandbox: { writable: ["/cache"] },
    args,
    workdir: "/work",
    host: { os: "linux", arch: "x86_64", path: [], stateFolder: `${home.path}/panewright`, realFile: () => undefined },
    processRunner: {
      run(spec: CommandSpec) {
        specs.push(spec);
        return Promise.resolve({ code: 0, stdout, stderr: "", timedOut: false, truncated: false });
      },
    },
  });
  const refused = async (reason: string, attempt: Promise<void>) => {
    const { exitCode, hint } = await assertRejects(() => attempt, UsageError, reason);
    assertEquals([exitCode, typeof hint], [2, "string"]);
  };
  await refused("replay brings none", requireSandbox(replayProvider, trial("")));
  await refused(
    "its argument --settings changes it",
    requireSandbox(claudeCodeProvider, trial("", ["--settings", "x"])),
  );
  for (const provider of [claudeCodeProvider, codexProvider]) {
    const inside = { ...trial(""), sandbox: { writable: [home.path] } };
    await refused("where commands may write", requireSandbox(provider, inside));
  }
  assertEquals(specs.length, 0);
  const answer = (response: object) =>
    `not JSON\n${
      JSON.stringify({ type: "control_response", response: { request_id: "sandbox", subtype: "success", response } })
    }\n`;
  await requireSandbox(claudeCodeProvider, trial(answer(settings())));
  await refused("it does not report its settings", requireSandbox(claudeCodeProvider, trial("")));
  await refused(
    "sandbox.enabled: false",
    requireSandbox(claudeCodeProvider, trial(answer(settings({ sandbox: { enabled: false } })))),
  );
  // A Codex that runs nothing, and writes no file, has shown nothing.
  await refused("no command runs in it (code 0)", requireSandbox(codexProvider, trial("")));
});

Deno.test("a sandbox of Codex in which nothing could run once is tried once more; one that lets a command out is not", async () => {
  await using home = await tempDir();
  await Deno.mkdir(`${home.path}/work`);
  const tried = async (...plays: readonly ((written: readonly string[]) => Promise<number>)[]) => {
    let runs = 0;
    const problem = await requireSandbox(codexProvider, {
      name: "tester",
      sandbox: { writable: [] },
      args: [],
      workdir: `${home.path}/work`,
      host: { os: "linux", arch: "x86_64", path: [], stateFolder: `${home.path}/state`, realFile: () => undefined },
      processRunner: {
        async run({ argv }: CommandSpec) {
          const code = await plays[runs++]?.(argv.slice(-2)) ?? 1;
          const stderr = "bwrap: execvp codex-linux-sandbox: No such file or directory";
          return { code, stdout: "", stderr, timedOut: false, truncated: false };
        },
      },
    }).then(() => "none", ({ message }: Error) => message);
    return [runs, problem.replace(/.*is not on: /s, "")];
  };
  const writes = (...at: readonly number[]) => async (written: readonly string[]) => {
    for (const index of at) await Deno.writeTextFile(written[index] ?? "", "");
    return 0;
  };
  const fails = () => Promise.resolve(1);
  assertEquals(await tried(writes(0)), [1, "none"]);
  assertEquals(await tried(fails, writes(0)), [2, "none"]);
  const nothing = "no command runs in it (code 1: bwrap: execvp codex-linux-sandbox: No such file or directory)";
  assertEquals(await tried(fails, fails, writes(0)), [2, nothing]);
  const [runs, problem] = await tried(writes(0, 1), writes(0));
  assertEquals([runs, String(problem).startsWith("a command in it could write to")], [1, true]);
});

Deno.test("an agent at rest whose record tells nothing of its turn is unknown, and in the end refused", () => {
  const clock = stillClock();
  let report: { turns: number; problem?: string } = { turns: 0 };
  const source = { sandboxReport: () => report, doubt: () => {} };
  const watch = createSandboxWatch({ name: "tester", provider: codexProvider, source, clock });
  const decision = (status: Decision["status"]): Decision => ({ status, rule: "r", evidence: [] });
  assertEquals(watch.judge(decision("idle")).status, "idle");
  watch.noteSubmission();
  assertEquals(watch.judge(decision("processing")).status, "processing");
  assertEquals(watch.judge(decision("completed")).status, "unknown");
  clock.advance(10_000);
  assertEquals(watch.judge(decision("completed")).status, "unknown");
  report = { turns: 1 };
  assertEquals(watch.judge(decision("completed")).status, "completed");
  report = { turns: 0 };
  assertEquals(watch.judge(decision("completed")).status, "unknown");
  clock.advance(15_000);
  assertThrows(() => watch.judge(decision("completed")), UsageError, "its record tells nothing of the turn");
  report = { turns: 3, problem: "it is danger-full-access" };
  assertThrows(() => watch.judge(decision("processing")), UsageError, "it is danger-full-access");
});
