import { assert, assertEquals } from "@std/assert";
import { isPlaceholder } from "../../lib/sandbox/placeholders.ts";
import { insideScript } from "../../lib/sandbox/prelude.ts";
import { secretsOf, VARIABLES, withheldNames } from "../../lib/sandbox/spec.ts";
import { placeBrought } from "../../lib/sandbox/brought.ts";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("variables pass by their names alone: secrets of the environment do not", () => {
  const names = [
    "PATH",
    "LC_ALL",
    "PYTHONPATH",
    "PANEWRIGHT_ATTEMPT",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "MY_KEY",
  ];
  assertEquals(withheldNames(names, VARIABLES), ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_KEY"]);
  assertEquals(withheldNames(names, [...VARIABLES, "MY_*"]), ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"]);
  assert(secretsOf("/home/me").includes("/home/me/.ssh"));
});

Deno.test("what a sandbox shows in place of a file that must not be made is no work of anybody", () => {
  assert(isPlaceholder("/p/.bashrc", { size: 0, mode: 0o100444 }));
  assert(!isPlaceholder("/p/.bashrc", { size: 3, mode: 0o100444 }));
  assert(!isPlaceholder("/p/.bashrc", { size: 0, mode: 0o100644 }));
  assert(!isPlaceholder("/p/README.md", { size: 0, mode: 0o100444 }));
});

Deno.test("a program inside gets its arguments as they are, and its own folder for temporary files", async () => {
  const script = insideScript(["printf", "%s|", "$HOME", "a b", "'q'", "$(touch x)", "new\nline"], {
    temporary: "/tmp/its own",
    ports: [],
  });
  const options = { cwd: "/", env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 20_000 };
  assertEquals(
    (await runProgram(["bash", "-c", `${script}; :`], options)).stdout,
    "$HOME|a b|'q'|$(touch x)|new\nline|",
  );
  const shown = insideScript(["sh", "-c", 'printf %s "$TMPDIR"'], { temporary: "/tmp/its own", ports: [] });
  assertEquals((await runProgram(["bash", "-c", shown], options)).stdout, "/tmp/its own");
});

Deno.test("what runs inside are the library's own files, and one that was changed is put right", async () => {
  await using folder = await tempDir();
  const placed = await placeBrought(`${folder.path}/bin`);
  const machine = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as string];
  const vendor = "node_modules/@anthropic-ai/sandbox-runtime/vendor";
  for (
    const [path, of] of [
      [placed.seccomp, `seccomp/${machine}/apply-seccomp`],
      [placed.javaAgent, "java-proxy-agent/srt-proxy-agent.jar"],
    ] as const
  ) {
    const original = await Deno.readFile(`${vendor}/${of}`);
    assertEquals(await Deno.readFile(path), original);
    await Deno.writeTextFile(path, '#!/bin/sh\nexec "$@"\n');
    assertEquals(await placeBrought(`${folder.path}/bin`), placed);
    assertEquals(await Deno.readFile(path), original);
  }
});
