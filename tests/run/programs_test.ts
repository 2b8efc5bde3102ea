import { assertEquals } from "@std/assert";
import { commandProblem, isOutsideProgramGone, programOfText } from "../../lib/run/programs.ts";
import type { TestCommand } from "../../lib/jobs/test_command.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("of a shell text, the first program is known only where nothing before it can change it", () => {
  for (
    const [text, program] of [
      ["npm test", "npm"],
      ["  CI=1 npm test -- --all", "npm"],
      ["cd web && npm test", "npm"],
      ["npm ci && npm test", "npm"],
      ["./check.sh", "./check.sh"],
      ["cd web && ./check.sh", undefined],
      ["npm test || true", undefined],
      ["npm test; true", undefined],
      ["npm test | tee log", undefined],
      ["if npm test; then true; fi", undefined],
      ["! npm test", undefined],
      ["(npm test)", undefined],
      ["PATH=bin:$PATH npm test", undefined],
      ["export PATH=bin && npm test", undefined],
      [". venv/bin/activate && pytest", undefined],
      ["$RUNNER test", undefined],
      ["test() { true; }; test", undefined],
      ["[ -e done ]", undefined],
      ["source venv/bin/activate && pytest", undefined],
      ["time npm test", undefined],
      ["'npm", undefined],
    ] as const
  ) assertEquals(programOfText(text), program, text);
});

Deno.test("a command is looked for: on PATH, executable, and in the project, where it may still be written", async () => {
  await using dir = await tempDir();
  await dir.write({ "bin/tool": "", "bin/data": "", "project/run.sh": "" });
  await Deno.chmod(`${dir.path}/bin/tool`, 0o755);
  const place = { folder: `${dir.path}/project`, searchPath: `${dir.path}/bin` };
  const none = (name: string) => `there is no program "${name}"`;
  assertEquals(commandProblem(["tool", "x"], place), undefined);
  assertEquals(commandProblem("tool && none", place), undefined);
  assertEquals(commandProblem(["tool"], { ...place, searchPath: "tools:../bin" }), undefined);
  assertEquals(commandProblem(["tool"], { folder: `${dir.path}/bin`, searchPath: ":/none" }), undefined);
  assertEquals(commandProblem(["none"], place), { message: `${none("none")} on PATH`, mayCome: false });
  assertEquals(commandProblem(["./new.sh"], place), { message: none("./new.sh"), mayCome: true });
  assertEquals(commandProblem(["../new.sh"], place), { message: none("../new.sh"), mayCome: false });
  assertEquals(commandProblem(["data"], place)?.message, `${dir.path}/bin/data is not executable`);
  assertEquals(commandProblem("./run.sh", place)?.mayCome, false);
  assertEquals(
    commandProblem(["tool test", "x"], place)?.message,
    `${none("tool test")} on PATH; as a list, it is ["tool","test","x"]`,
  );
});

Deno.test("a program that is gone is the machine's matter only where nothing of the project could have been it", async () => {
  await using dir = await tempDir();
  await dir.write({ "bin/tool": "", "project/locked.sh": "" });
  await Deno.chmod(`${dir.path}/bin/tool`, 0o755);
  const place = { folder: `${dir.path}/project`, searchPath: `${dir.path}/bin` };
  const isGone = (command: TestCommand, searchPath = place.searchPath) =>
    isOutsideProgramGone(command, { ...place, searchPath });
  assertEquals(
    [isGone(["tool"]), isGone("tool && gone"), isGone(["./gone.sh"]), isGone(["./locked.sh"])],
    Array(4).fill(false),
  );
  assertEquals([isGone(["gone"]), isGone("CI=1 gone && tool"), isGone(["../gone.sh"])], Array(3).fill(true));
  assertEquals(isGone(["gone"], `node_modules/.bin:${dir.path}/bin`), false);
});
