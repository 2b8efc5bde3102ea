import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { helpOf } from "../../lib/cli/console/help.ts";
import { runCli } from "../../lib/cli/main.ts";
import { VERSION } from "../../lib/base/version.ts";
import { fakeIo } from "../support/fake_io.ts";
import { playPanewright, runPanewright } from "../support/run_panewright.ts";

const GLOBAL_OPTIONS = `Options of every command:
      --json        results and events as JSON on stdout, one object per line
  -q, --quiet       only the result, no progress
  -v, --verbose     more detail: every status change, the causes of errors
      --color WHEN  colours: auto (in a terminal), always or never; the
                    variables NO_COLOR and FORCE_COLOR set it, too
      --no-color    the same as --color never
  -h, --help        show help and exit
  -V, --version     show the version and exit
`;

Deno.test("the program prints its version and needs no permission for it but the environment", async () => {
  for (const args of [["version"], ["--version"], ["-V"], ["help", "-V"]]) {
    const { code, stdout, stderr } = await runPanewright(args);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(stdout, `panewright ${VERSION} (deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch})\n`);
  }
});

Deno.test("version --json is one JSON object a line, wherever --json stands", async () => {
  for (const args of [["version", "--json"], ["--json", "version"], ["--color", "never", "--json", "version"]]) {
    const io = fakeIo();
    assertEquals(await runCli(args, io), 0);
    assertEquals(JSON.parse(io.written.stdout).version, VERSION);
    assertEquals(io.written.stdout.trimEnd().split("\n").length, 1);
  }
});

Deno.test("--help shows every command that is not hidden, on stdout, with exit code 0", async () => {
  const { code, stdout, stderr } = await playPanewright(["--help"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertStringIncludes(stdout, GLOBAL_OPTIONS);
  for (const entry of COMMANDS) {
    const { name, hidden } = entry;
    const { summary } = await helpOf(entry);
    assertEquals(stdout.includes(`  ${name} `) && stdout.includes(summary), hidden !== true, name);
  }
});

Deno.test("no command at all shows the overview on stderr, with exit code 2", async () => {
  const { code, stdout, stderr } = await playPanewright([]);
  assertEquals({ code, stdout }, { code: 2, stdout: "" });
  assertStringIncludes(stderr, "  panewright COMMAND [ARGUMENTS] [OPTIONS]\n");
});

Deno.test("help COMMAND and COMMAND --help show the same text", async () => {
  const expected = `panewright version: print the version

Usage:
  panewright version [OPTIONS]

Prints the version of panewright, of the Deno runtime in it, and the platform.

Options:
      --licenses  the licences of panewright and of all that it contains

${GLOBAL_OPTIONS}`;
  for (const args of [["help", "version"], ["version", "--help"], ["version", "-h"], ["--help", "version"]]) {
    const { code, stdout } = await playPanewright(args);
    assertEquals({ code, stdout }, { code: 0, stdout: expected });
  }
});

Deno.test("the overview and every command's help fit 100 columns, and 80 where the terminal has no more", async () => {
  for (const columns of [80, 250]) {
    for (const args of [["--help"], ...COMMANDS.map(({ name }) => [name, "--help"])]) {
      const io = fakeIo({ columns });
      assertEquals(await runCli(args, io), 0, io.written.stderr);
      for (const line of io.written.stdout.split("\n")) {
        assert(line.length <= Math.min(columns, 100), `${args} at ${columns} columns: ${line}`);
      }
    }
  }
});

Deno.test("an unknown command is refused with the nearest one and the list", async () => {
  const { code, stdout, stderr } = await playPanewright(["verson"]);
  assertEquals({ code, stdout }, { code: 2, stdout: "" });
  const [first, second] = stderr.split("\n");
  assertEquals(first, 'panewright: Cannot run "verson": no such command (did you mean "version"?)');
  assertStringIncludes(second ?? "", "Commands: ");
  assertEquals(stderr.includes("replay-agent"), false);
  assertEquals(stderr.includes("at "), false, "a stack trace is only for --verbose");
});

Deno.test("an unknown flag is refused with the nearest one and the list", async () => {
  const { code, stderr } = await playPanewright(["version", "--jsno"]);
  assertEquals(code, 2);
  assertEquals(
    stderr,
    'panewright: Cannot use --jsno: no such flag (did you mean "--json"?)\n' +
      "  Flags here: --licenses, --json, --quiet, --verbose, --color, --no-color, --help, --version.\n",
  );
});

Deno.test("a flag before the command must be one of every command", async () => {
  const io = fakeIo();
  assertEquals(await runCli(["--max-rounds=3", "version"], io), 2);
  assertStringIncludes(io.written.stderr, "Cannot use --max-rounds: no such flag");
});

Deno.test("an argument too many and one too few are refused", async () => {
  const tooMany = fakeIo();
  assertEquals(await runCli(["version", "now"], tooMany), 2);
  assertEquals(
    tooMany.written.stderr,
    'panewright: Cannot use the argument "now": "version" takes no arguments\n' +
      '  "panewright help version" shows the usage.\n',
  );
  const tooFew = fakeIo();
  assertEquals(await runCli(["config"], tooFew), 2);
  assertEquals(
    tooFew.written.stderr,
    'panewright: Cannot run "config": the argument ACTION is missing\n  "panewright help config" shows the usage.\n',
  );
});

Deno.test("with --json an error is an object on stdout as well", async () => {
  const io = fakeIo();
  assertEquals(await runCli(["nonsense", "--json"], io), 2);
  const { type, message, exitCode } = JSON.parse(io.written.stdout);
  assertEquals({ type, message, exitCode }, {
    type: "error",
    message: 'Cannot run "nonsense": no such command',
    exitCode: 2,
  });
});

Deno.test("--verbose adds the stack to an error", async () => {
  const io = fakeIo();
  await runCli(["nonsense", "--verbose"], io);
  assertStringIncludes(io.written.stderr, "    at findCommand");
});

Deno.test("control characters in what a person typed do not reach the terminal", async () => {
  const io = fakeIo();
  await runCli(["a\x1b[2J\u202eb"], io);
  assertStringIncludes(io.written.stderr, 'Cannot run "a\\x1b[2J\\u202eb"');
});

Deno.test("the program starts without the modules that only some commands need", async () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = async (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = await Deno.readTextFile(url);
    for (
      const [, clause = "", specifier = ""] of source.matchAll(/^(?:import|export)\s+([^"';]*?)from\s+"([^"]+)"/gm)
    ) {
      if (clause.startsWith("type ")) continue;
      if (specifier.startsWith(".")) await visit(new URL(specifier, url));
      else packages.add(specifier);
    }
  };
  await visit(new URL("../../main.ts", import.meta.url));
  assertEquals([...packages], ["@std/cli/parse-args"]);
  assert(seen.size > 5 && seen.size < 20, `${seen.size} modules at the start`);
});
