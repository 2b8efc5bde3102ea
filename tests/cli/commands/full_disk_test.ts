import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/ports/process.ts";
import { FLAG_JOB } from "../../support/jobs.ts";
import { cleanEnvironment, panewrightArgv } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** Calls panewright in a copy of the project on a disk of its own that is full, and tells what is there afterwards. */
const ON_FULL_DISK = `
mount -t tmpfs -o size=512k none full || exit 99
cp -R project/. full
cd full
cat /dev/zero > filler 2>/dev/null
code=0
TMPDIR=$PWD "$@" || code=$?
echo "left: $(ls -A | xargs)"
exit "$code"
`;

const IN_OWN_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount"] as const;

const CONFIG = {
  prompt_file: "job.md",
  provider: "replay",
  providers: { replay: { args: ["--script", "replay.json"] } },
  pipelines: { main: [{ name: "a", prompt: "self", provider: "codex", command: ["true"], check: { type: "none" } }] },
};

const FILES = {
  "job.md": FLAG_JOB,
  "panewright.jsonc": JSON.stringify(CONFIG),
  "replay.json": "{}",
  "task.md": "Fix.",
};

Deno.test("a disk without room for a run is found before anything starts, by run, exec, demo and doctor", async (t) => {
  await using dir = await tempDir();
  await dir.write({ "full/.keep": "", "home/.keep": "" });
  await dir.write(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`project/${name}`, text])));
  const run = (...argv: readonly [string, ...string[]]) =>
    systemProcessRunner.run({
      argv: [...IN_OWN_MOUNTS, ...argv],
      cwd: dir.path,
      clearEnv: true,
      env: cleanEnvironment({ HOME: `${dir.path}/home`, TMUX_TMPDIR: dir.path }),
    });
  const mountable = await run("mount", "-t", "tmpfs", "none", "full");
  if (mountable.code !== 0) {
    await t.step({ name: `nothing can be mounted here: ${mountable.stderr.trim()}`, ignore: true, fn: () => {} });
    return;
  }
  const found = `${dir.path}/full is not writable: No space left on device (os error 28)`;
  const remedy = "The disk is full: free some space.";
  for (
    const [args, told] of [
      [["run"], `panewright: Cannot start the run: 1 problem\n  working directory: ${found}\n    ${remedy}\n`],
      [
        ["exec", "task.md"],
        `panewright: Cannot start the run: 1 problem\n  working directory: ${found}\n    ${remedy}\n`,
      ],
      [
        ["demo"],
        `panewright: Cannot start the demo: 1 problem\n  folder for temporary files: ${found}\n    ${remedy}\n`,
      ],
      [["doctor"], `fail  working directory: ${found}\n      ${remedy}\n`],
    ] as const
  ) {
    const { code, stdout, stderr } = await run("sh", "-c", ON_FULL_DISK, "sh", ...panewrightArgv(["-A"]), ...args);
    assertStringIncludes(stdout + stderr, told);
    const left = `left: ${[...Object.keys(FILES), "filler"].toSorted().join(" ")}\n`;
    assertEquals([code, stdout.slice(-left.length)], [args[0] === "doctor" ? 1 : 2, left], stderr);
  }
});
