import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { FLAG_JOB } from "../../support/jobs.ts";
import { cleanEnvironment, panewrightArgv } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";

/**
 * Calls panewright with the words of `$ARGS` in a copy of the project on a disk of its own that is full, and tells what
 * is there afterwards; before, with those of `$BEFORE`, while there is room.
 */
const ON_FULL_DISK = `
mount -t tmpfs -o size=512k none full || exit 99
cp -R project/. full
cd full
[ -z "$BEFORE" ] || "$@" $BEFORE >/dev/null
cat /dev/zero > filler 2>/dev/null
code=0
TMPDIR=$PWD "$@" $ARGS || code=$?
echo "left: $(ls -A | xargs)"
exit "$code"
`;

const IN_OWN_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount"] as const;

const CONFIG = {
  prompt_file: "job.md",
  provider: "replay",
  providers: { replay: { args: ["--script", "replay.json"] } },
  pipelines: {
    main: [{
      name: "a",
      prompt: "self",
      provider: "codex",
      command: ["true"],
      check: { type: "shell", command: ["false"] },
    }],
  },
};

const FILES = {
  "job.md": FLAG_JOB,
  "panewright.jsonc": JSON.stringify(CONFIG),
  "replay.json": "{}",
  "task.md": "Fix.",
};

Deno.test("a disk without room for a run is found before anything starts, by run, exec, resume, demo and doctor", async (t) => {
  await using dir = await tempDir();
  await dir.write({ "full/.keep": "", "home/.keep": "" });
  await dir.write(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`project/${name}`, text])));
  const run = (argv: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) =>
    systemProcessRunner.run({
      argv: [...IN_OWN_MOUNTS, ...argv],
      cwd: dir.path,
      clearEnv: true,
      env: cleanEnvironment({ HOME: `${dir.path}/home`, TMUX_TMPDIR: dir.path, ...env }),
    });
  const mountable = await run(["mount", "-t", "tmpfs", "none", "full"]);
  if (mountable.code !== 0) {
    await t.step({ name: `nothing can be mounted here: ${mountable.stderr.trim()}`, ignore: true, fn: () => {} });
    return;
  }
  const call = async (args: string, before = "") => {
    const env = { ARGS: args, BEFORE: before };
    const { code, stdout, stderr } = await run(["sh", "-c", ON_FULL_DISK, "sh", ...panewrightArgv(["-A"])], env);
    const [told = "", left = ""] = stdout.split("left: ");
    return { code, told: told + stderr, left: left.trim().split(" ") };
  };
  const unchanged = [...Object.keys(FILES), "filler"].toSorted();
  const found = `${dir.path}/full is not writable: No space left on device (os error 28)`;
  const remedy = "The disk is full: free some space.\n";
  const refused = (what: string, check: string, where = "") =>
    `panewright: Cannot ${what}: 1 problem\n  ${check}: ${found.replace("full ", `full${where} `)}\n    ${remedy}`;
  for (
    const [args, told] of [
      ["run", refused("start the run", "working directory")],
      ["run --detach", refused("start the run", "working directory")],
      ["exec task.md", refused("start the run", "working directory")],
      ["demo", refused("start the demo", "folder for temporary files")],
    ] as const
  ) assertEquals(await call(args), { code: 2, told, left: unchanged });

  const doctor = await call("doctor");
  assertStringIncludes(doctor.told, `fail  working directory: ${found}\n      ${remedy}`);
  assertEquals([doctor.code, doctor.left], [1, unchanged]);

  const resumed = await call("resume", "exec task.md");
  assertEquals(resumed.code, 2);
  assertStringIncludes(resumed.told, refused("resume the run", "working directory", "/.panewright"));
});
