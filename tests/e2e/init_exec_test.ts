import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { cliProject } from "./cli_project.ts";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`init --exec writes a pipeline that works with the CLI that is there: ${provider}, in a folder that it does not trust`, async () => {
    const turn = (made: string): Turn =>
      provider === "codex" ? [{ do: "shell", command: `echo rounded > ${made}` }, { do: "say", text: "Rounded." }] : [
        { do: "call", tool: "Write", input: { file_path: made, content: "rounded\n" } },
        { do: "shell", command: "git push" },
        { do: "say", text: "Rounded." },
      ];
    await using project = await cliProject({
      provider,
      panewright: await panewrightThatStartsFast(),
      isRepository: true,
      onPath: "itself",
      codex: { trusted: false, sandboxMode: "read-only" },
      respond: (_request, sandbox) => turn(`${sandbox.project}/fixed.txt`),
      files: { Makefile: "test:\n\tgrep rounded fixed.txt\n" },
    });
    const { run, sandbox: { project: folder } } = project;
    const written = await run("init", "--exec", "--permissions", "allow-list");
    assertEquals(written.code, 0, written.stderr);
    assertEquals((await run("validate", "task.md")).code, 0);
    await Deno.writeTextFile(`${folder}/task.md`, "Fix the rounding.\n");
    const done = await run("exec", "task.md", "--no-input");
    // What is not on the list is the person's to permit.
    if (provider === "claude_code") {
      assertEquals(done.code, 3, done.stderr + done.stdout);
      assertStringIncludes(done.stdout, "The agent asks for permission: the command `git push`");
      const id = project.runId();
      assertEquals((await run("answer", id, "no,", "nothing", "leaves", "this", "machine")).code, 0);
      const resumed = await run("resume", id, "--no-input");
      assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
      assertStringIncludes(resumed.stderr, "refused by person: command git push. nothing leaves this machine");
    } else {
      assertEquals(done.code, 0, done.stderr + done.stdout);
      assertStringIncludes(done.stderr, "sandbox workspace-write, approvals never");
    }
    assertEquals(await Deno.readTextFile(`${folder}/fixed.txt`), "rounded\n");
  });
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`init writes a sandbox where the machine can, and with it nobody is asked anything: ${provider}`, async () => {
    await using project = await cliProject({
      provider,
      panewright: await panewrightThatStartsFast(),
      isRepository: true,
      onPath: "itself",
      respond: () => [
        { do: "shell", command: "touch ../outside; git push; echo rounded > fixed.txt" },
        { do: "say", text: "Rounded." },
      ],
      files: { Makefile: "test:\n\tgrep rounded fixed.txt\n" },
    });
    const { run, sandbox: { project: folder } } = project;
    const written = await run("init", "--exec");
    assertEquals(written.code, 0, written.stderr);
    assertStringIncludes(written.stdout, "permissions  a sandbox around agents, tests and checks;");
    await Deno.writeTextFile(`${folder}/task.md`, "Fix the rounding.\n");
    const done = await run("exec", "task.md", "--no-input");
    assertEquals(done.code, 0, done.stderr + done.stdout);
    assertStringIncludes(done.stderr, "sandbox: around the whole agent");
    assertEquals(await Deno.readTextFile(`${folder}/fixed.txt`), "rounded\n");
    assertEquals([...Deno.readDirSync(`${folder}/..`)].some(({ name }) => name === "outside"), false);
  });
}
