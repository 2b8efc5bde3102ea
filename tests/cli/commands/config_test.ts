import { assertEquals, assertStringIncludes } from "@std/assert";
import { runPanewright } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

Deno.test("config show prints every effective value with where it came from", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": '{\n  "prompt_file": "job.md",\n  "limits": { "max_rounds": 3 }\n}',
    "job.md": FLAG_JOB,
    "bin/codex": "",
  });
  await Deno.chmod(`${dir.path}/bin/codex`, 0o755);
  const { code, stdout, stderr } = await runPanewright(["config", "show", "--poll-seconds", "0.5"], {
    cwd: dir.path,
    env: { IDLE_GRACE_SECONDS: "10", PATH: `${dir.path}/bin` },
    permissions: ["--allow-env", `--allow-read=${dir.path}`],
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const rows = new Map(
    stdout.trimEnd().split("\n").map((line) => {
      const [path = "", value = "", source = ""] = line.split(/ {2,}/);
      return [path, [value, source]];
    }),
  );
  assertEquals(rows.get("prompt_file"), ['"job.md"', "panewright.jsonc:2"]);
  assertEquals(rows.get("limits.max_rounds"), ["3", "panewright.jsonc:3"]);
  assertEquals(rows.get("handoff.poll_seconds"), ["0.5", "flag --poll-seconds"]);
  assertEquals(rows.get("handoff.idle_grace_seconds"), ["10", "env IDLE_GRACE_SECONDS"]);
  assertEquals(rows.get("handoff.response_timeout"), ["1800", "default"]);
});

Deno.test("config show with a wrong config lists what is wrong, with exit code 2", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{\n  "promt_file": "job.md"\n}' });
  const { code, stdout, stderr } = await runPanewright(["config", "show"], {
    cwd: dir.path,
    permissions: ["--allow-env", `--allow-read=${dir.path}`],
  });
  assertEquals({ code, stdout }, { code: 2, stdout: "" });
  const [head, first = "", gutter, row, marks] = stderr.split("\n");
  assertEquals(head, "panewright: Cannot use the configuration of panewright.jsonc: 1 problem");
  assertStringIncludes(
    first,
    '  panewright.jsonc:2:3: unknown key "promt_file"; did you mean "prompt_file"? Allowed here: ',
  );
  assertEquals([gutter, row, marks], ["      |", '    2 |   "promt_file": "job.md"', "      |   ^^^^^^^^^^^^"]);
});

Deno.test("config schema prints a JSON Schema", async () => {
  const { code, stdout } = await runPanewright(["config", "schema"]);
  assertEquals(code, 0);
  const schema = JSON.parse(stdout);
  assertEquals([schema.$schema, schema.type], ["https://json-schema.org/draft/2020-12/schema", "object"]);
});
