import { assertEquals, assertMatch } from "@std/assert";
import { parse } from "@std/yaml";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { shellJoin } from "../../lib/shell/quote.ts";
import { panewrightArgv } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const FILES = [".github/workflows/release.yml", "action.yml"];

/** What the tests look at of a workflow or an action. */
interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
}

/** All steps of a file, wherever they stand in it. */
function stepsOf(value: unknown): readonly Step[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([key, entry]) =>
    key === "steps" && Array.isArray(entry) ? entry as Step[] : stepsOf(entry)
  );
  return below;
}

async function stepsIn(file: string): Promise<readonly Step[]> {
  return stepsOf(parse(await Deno.readTextFile(`${ROOT}${file}`)));
}

for (const file of FILES) {
  Deno.test(`${file}: each action of others is pinned by the hash of a commit, with its version beside it`, async () => {
    const lines = (await Deno.readTextFile(`${ROOT}${file}`)).split("\n").filter((line) => /\buses: /.test(line));
    assertEquals(lines.length, (await stepsIn(file)).filter(({ uses }) => uses !== undefined).length);
    for (const line of lines) assertMatch(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  Deno.test(`${file}: each script is one that bash can read, and has nothing of others in its text`, async () => {
    const scripts = (await stepsIn(file)).flatMap(({ run }) => run ?? []);
    assertEquals(scripts.length > 3, true);
    for (const script of scripts) {
      const { code, stderr } = await systemProcessRunner.run({ argv: ["bash", "-n"], stdin: script });
      assertEquals([code, stderr], [0, ""], script);
      // An expression is put into the text before bash reads it: whatever is not of this file must come as a variable.
      for (const [, expression] of script.matchAll(/\$\{\{(.*?)\}\}/g)) assertMatch(expression ?? "", /^ matrix\./);
    }
  });
}

Deno.test("release.yml calls tasks and files that are there", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const scripts = (await stepsIn(FILES[0] ?? "")).map(({ run }) => run ?? "").join("\n");
  const called = [...scripts.matchAll(/\btask (\S+)/g)].map(([, name = ""]) => name);
  assertEquals(called.toSorted(), ["compile", "package", "smoke", "smoke"]);
  for (const name of called) assertEquals([name, typeof tasks[name]], [name, "object"]);
  for (const [path] of scripts.matchAll(/\.ci\/[\w./]+/g)) {
    assertEquals((await Deno.stat(`${ROOT}${path}`)).isFile, true);
  }
});

Deno.test("release.yml tries each form that it publishes, after it was built", async () => {
  const { jobs } = parse(await Deno.readTextFile(`${ROOT}${FILES[0]}`)) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  for (const [job, form] of [["executable", "compile"], ["package", "package"]] as const) {
    const tasks = (jobs[job]?.steps ?? []).flatMap(({ run = "" }) =>
      [...run.matchAll(/\btask (\S+)/g)].map(([, it]) => it)
    );
    assertEquals(tasks, [form, "smoke"]);
  }
});

Deno.test("release.yml runs programs of a version that is named in full", async () => {
  const text = await Deno.readTextFile(`${ROOT}${FILES[0]}`);
  for (const [program] of text.matchAll(/\b(?:npm|deno)@\S+/g)) assertMatch(program, /@\d+\.\d+\.\d+$/);
});

Deno.test("release.yml makes a release once, also where the job is run again", async () => {
  const script = (await stepsIn(FILES[0] ?? "")).find(({ name }) => name === "Publish the release")?.run ?? "";
  for (const [isThere, calls] of [[true, "release view"], [false, "release view release create"]] as const) {
    await using dir = await tempDir();
    const gh = `#!/bin/sh\necho "$1 $2" >> calls\n[ "$2" = create ] || ${isThere}\n`;
    await dir.write({ "release/a": "", "bin/gh": gh });
    await Deno.chmod(`${dir.path}/bin/gh`, 0o755);
    const env = { PATH: `${dir.path}/bin:${Deno.env.get("PATH")}`, TAG: "v0.1.0" };
    const { code } = await systemProcessRunner.run({ argv: ["bash", "-e", "-c", script], cwd: dir.path, env });
    const called = (await Deno.readTextFile(`${dir.path}/calls`)).trim().replaceAll("\n", " ");
    assertEquals([code, called], [0, calls]);
  }
});

Deno.test("release.yml publishes the package that was built: npm takes a path without a dot for a repository of GitHub", async () => {
  const scripts = (await stepsIn(FILES[0] ?? "")).flatMap(({ run }) => run?.split("\n") ?? []);
  const [publish = ""] = scripts.filter((line) => / publish /.test(line));
  assertMatch(publish, / \.\/release\/panewright-\*\.tgz$/);
});

Deno.test("release.yml needs no secret that is kept somewhere", async () => {
  assertEquals((await Deno.readTextFile(`${ROOT}${FILES[0]}`)).includes("secrets."), false);
});

Deno.test("release.yml gives no job a right that it does not need", async () => {
  const workflow = parse(await Deno.readTextFile(`${ROOT}${FILES[0]}`)) as {
    readonly permissions: unknown;
    readonly jobs: Readonly<Record<string, { readonly permissions?: unknown }>>;
  };
  assertEquals(workflow.permissions, { contents: "read" });
  const rights = Object.entries(workflow.jobs).flatMap(([name, { permissions }]) =>
    permissions ? [[name, permissions]] : []
  );
  assertEquals(rights, [["publish", { contents: "write", "id-token": "write", attestations: "write" }]]);
});

Deno.test("the action passes each line as one argument, as it stands, and hands on the exit code", async () => {
  await using folder = await tempDir();
  const script = (await stepsIn("action.yml")).find(({ id }) => id === "run")?.run ?? "";
  const told = `${folder.path}/told`;
  await Deno.writeTextFile(
    `${folder.path}/panewright`,
    `#!/bin/sh\nprintf '<%s>' "$@" > '${told}'\necho "$PANEWRIGHT_TRUST" >> '${told}'\nexit 3\n`,
    { mode: 0o755 },
  );
  const call = (args: string, trust: string) =>
    systemProcessRunner.run({
      argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: folder.path,
      clearEnv: true,
      env: {
        PATH: `${folder.path}:${Deno.env.get("PATH")}`,
        GITHUB_OUTPUT: `${folder.path}/output`,
        ARGUMENTS: args,
        TRUST: trust,
      },
    });
  const { code } = await call('exec\nfix "$(touch made)" *\n\n--check\nnpm test\n', "true");
  assertEquals(code, 3);
  assertEquals(await Deno.readTextFile(told), '<exec><fix "$(touch made)" *><--check><npm test>1\n');
  assertEquals(await Deno.readTextFile(`${folder.path}/output`), "exit-code=3\n");
  assertEquals([...Deno.readDirSync(folder.path)].some(({ name }) => name === "made"), false);

  await call("doctor", "yes");
  assertEquals(await Deno.readTextFile(told), "<doctor>\n");
});

Deno.test("the action comments with the card of the run, in which nothing of an agent counts", async () => {
  const script = (await stepsIn("action.yml")).find(({ name }) => name === "Comment with the card")?.run ?? "";
  await using dir = await tempDir();
  const card = "✓ PASS  fix-it\n  ```\n  @everyone ````";
  await dir.write({
    "bin/panewright": `#!/bin/sh\necho "$*" > asked\ncat <<'E'\n${card}\nE\n`,
    "bin/gh": `#!/bin/sh\necho "$*" > called\ncat > body\n`,
  });
  for (const name of ["panewright", "gh"]) await Deno.chmod(`${dir.path}/bin/${name}`, 0o755);
  const call = async (number: string) => {
    const { code, stderr } = await systemProcessRunner.run({
      argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: dir.path,
      clearEnv: true,
      env: {
        PATH: `${dir.path}/bin:${Deno.env.get("PATH")}`,
        PULL_REQUEST: number,
        JOB_RUN: "https://example.com/1",
        GITHUB_ACTION_PATH: ROOT,
      },
    });
    assertEquals(code, 0, stderr);
    return await Promise.all(
      ["asked", "called", "body"].map((name) => Deno.readTextFile(`${dir.path}/${name}`).catch(() => "")),
    );
  };
  assertEquals(await call(""), ["", "", ""]);
  assertEquals(await call("7"), [
    "show --color never\n",
    "pr comment 7 --body-file -\n",
    `\`\`\`\`\`text\n${card}\n\`\`\`\`\`\nhttps://example.com/1\n`,
  ]);
});

Deno.test("the action has answers taken from comments, as often as something is asked; no agent has the token", async () => {
  const steps = await stepsIn("action.yml");
  const [first, answers] = ["panewright", "Take answers from comments"].map((name) =>
    steps.find((step) => step.name === name)?.run ?? ""
  );
  await using dir = await tempDir();
  await dir.write({
    "bin/panewright": `#!/bin/sh
echo "$1 \${GH_TOKEN-}\${TOKEN-}" >> called
case "$*" in "exec "*) exit 3 ;; resume*) n=$(grep -c ^resume called); [ "$n" = 2 ] || exit 3 ;; answer*) [ ! -e late ] || exit 3 ;; esac
`,
    "bin/gh": "#!/bin/sh\ncat > body\n",
  });
  for (const name of ["panewright", "gh"]) await Deno.chmod(`${dir.path}/bin/${name}`, 0o755);
  const call = async (script = "", more: Readonly<Record<string, string>> = {}) => {
    const { code } = await systemProcessRunner.run({
      argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: dir.path,
      clearEnv: true,
      env: {
        PATH: `${dir.path}/bin:${Deno.env.get("PATH")}`,
        ...{ ARGUMENTS: "exec\ntask.md", PULL_REQUEST: "7", MINUTES: "60", JOB_RUN: "https://example.com" },
        ...{ GITHUB_ACTION_PATH: ROOT, GITHUB_OUTPUT: `${dir.path}/output` },
        ...more,
      },
    });
    return code;
  };
  assertEquals(await call(first), 0);
  assertEquals(await call(answers, { TOKEN: "secret" }), 0);
  assertEquals(
    await Deno.readTextFile(`${dir.path}/called`),
    [
      "exec ",
      ...["questions secret", "answer secret", "resume "],
      ...["questions secret", "answer secret", "resume "],
      "",
    ].join("\n"),
  );
  assertEquals(await Deno.readTextFile(`${dir.path}/output`), "exit-code=3\nexit-code=0\n");
  await dir.write({ late: "" });
  assertEquals(await call(answers, { TOKEN: "secret" }), 3);
});

Deno.test("the action works in a job's container: no path is that of the machine around it", async () => {
  const text = await Deno.readTextFile(`${ROOT}action.yml`);
  assertEquals(text.match(/\$\{\{ *(?:github\.(?:action_path|workspace)|runner\.(?:temp|workspace))\b/g), null);
  // There, root has no sudo, and needs none.
  const script = (await stepsIn("action.yml")).find(({ name }) => name === "Install tmux")?.run ?? "";
  for (const [uid, called] of [["0", "apt-get"], ["1000", "sudo apt-get"]]) {
    await using dir = await tempDir();
    await dir.write({ "bin/id": `#!/bin/sh\necho ${uid}\n` });
    for (const name of ["apt-get", "sudo"]) {
      await dir.write({ [`bin/${name}`]: `#!/bin/sh\necho "\${0##*/} $*" >> calls\n` });
    }
    for (const name of ["id", "apt-get", "sudo"]) await Deno.chmod(`${dir.path}/bin/${name}`, 0o755);
    await Deno.symlink("/bin/sh", `${dir.path}/bin/sh`);
    const { code, stderr } = await systemProcessRunner.run({
      argv: ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: dir.path,
      clearEnv: true,
      env: { PATH: `${dir.path}/bin`, RUNNER_OS: "Linux" },
    });
    assertEquals([code, stderr], [0, ""]);
    assertEquals((await Deno.readTextFile(`${dir.path}/calls`)).split("\n"), [
      `${called} update`,
      `${called} install --yes --no-install-recommends tmux`,
      "",
    ]);
  }
});

Deno.test("the action installs the checked release that was downloaded, or came from the cache", async () => {
  const script = (await stepsIn("action.yml")).find(({ name }) => name === "Install panewright")?.run ?? "";
  await using dir = await tempDir();
  const release = `${dir.path}/temp/panewright/release`;
  await dir.write({ "panewright": "#!/bin/sh\necho 'panewright 0.1.0 (deno 2.9.6, linux x86_64)'\n" });
  await Deno.chmod(`${dir.path}/panewright`, 0o755);
  await Deno.mkdir(release, { recursive: true });
  const archive = `panewright-${Deno.build.target}.tar.gz`;
  await systemProcessRunner.run({ argv: ["tar", "-czf", `${release}/${archive}`, "panewright"], cwd: dir.path });
  const { stdout: sums } = await systemProcessRunner.run({ argv: ["sha256sum", archive], cwd: release });
  await Deno.writeTextFile(`${release}/SHA256SUMS`, sums);
  for (const [checksum, expected] of [["", 0], [sums.slice(0, 64), 0], ["f".repeat(64), 1]] as const) {
    const { code, stderr } = await systemProcessRunner.run({
      argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: dir.path,
      clearEnv: true,
      env: {
        ...{ PATH: Deno.env.get("PATH") ?? "", VERSION: "v0.1.0", CHECKSUM: checksum },
        ...{ RUNNER_TEMP: `${dir.path}/temp`, GITHUB_ACTION_PATH: ROOT, GITHUB_PATH: `${dir.path}/path` },
      },
    });
    assertEquals(code, expected, stderr);
  }
  const folder = `${dir.path}/temp/panewright/bin`;
  assertEquals(await Deno.readTextFile(`${dir.path}/path`), `${folder}\n`.repeat(2));
  assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["panewright"]);
});

Deno.test("the action downloads the archive for the runner's system, of a version with or without a v", async () => {
  const script = (await stepsIn("action.yml")).find(({ name }) => name === "Download the release")?.run ?? "";
  for (const version of ["0.1.0", "v0.1.0"]) {
    await using folder = await tempDir();
    await folder.write({ "bin/curl": `#!/bin/sh\nfor last; do :; done\necho "$last" >> '${folder.path}/asked'\n` });
    await Deno.chmod(`${folder.path}/bin/curl`, 0o755);
    const { code, stderr } = await systemProcessRunner.run({
      argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd: folder.path,
      clearEnv: true,
      env: {
        PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`,
        RUNNER_TEMP: folder.path,
        RUNNER_OS: "macOS",
        RUNNER_ARCH: "ARM64",
        RELEASES: "https://releases.invalid",
        VERSION: version,
      },
    });
    assertEquals([code, stderr], [0, ""]);
    assertEquals((await Deno.readTextFile(`${folder.path}/asked`)).split("\n"), [
      "https://releases.invalid/download/v0.1.0/panewright-aarch64-apple-darwin.tar.gz",
      "https://releases.invalid/download/v0.1.0/SHA256SUMS",
      "",
    ]);
  }
});

Deno.test("release.yml packs the executable, its papers and a manual page for each command, as the formula installs them", async () => {
  await using dir = await tempDir();
  const program = `#!/bin/sh\nexec ${shellJoin(panewrightArgv(["-R", "-W", "--allow-env"]))} "$@"\n`;
  await dir.write({ "LICENSE": "", "THIRD_PARTY.md": "", "dist/panewright": program });
  await Deno.chmod(`${dir.path}/dist/panewright`, 0o755);
  const step = (await stepsIn(".github/workflows/release.yml")).find(({ run }) => run?.includes("tar -czf"));
  const script = step?.run?.replaceAll("${{ matrix.target }}", "here") ?? "";
  const packed = await systemProcessRunner.run({ argv: ["bash", "-e", "-c", script], cwd: dir.path });
  assertEquals([packed.code, packed.stderr], [0, ""]);
  const { stdout } = await systemProcessRunner.run({
    argv: ["tar", "-tzf", "panewright-here.tar.gz"],
    cwd: dir.path,
  });
  const pages = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => `man/man1/panewright-${name}.1`);
  const files = ["LICENSE", "THIRD_PARTY.md", "panewright", "man/", "man/man1/", "man/man1/panewright.1", ...pages];
  assertEquals(stdout.trimEnd().split("\n").toSorted(), files.toSorted());
  const formula = await Deno.readTextFile(`${ROOT}.ci/release/panewright.rb`);
  assertMatch(formula, /man1\.install Dir\["man\/man1\/\*\.1"\]/);
});
