import { assertEquals } from "@std/assert";
import { whyRefused } from "../../../lib/jobs/pipeline/refuse_write.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

async function project(): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "src/a.ts": "", "docs/x.md": "" });
  await Deno.symlink("../docs", `${dir.path}/src/out`);
  await Deno.symlink("src", `${dir.path}/in`);
  return dir;
}

Deno.test("file tools may write what the globs name, wherever links lead", async () => {
  await using dir = await project();
  const may = (...paths: readonly string[]) =>
    whyRefused({ kind: "patch", subject: paths.join("\n") }, { workdir: dir.path, allowWrite: ["src/**"] }) ===
      undefined;
  const yes = ["src/a.ts", `${dir.path}/src/new/b.ts`, "in/c.ts"];
  const no = ["docs/x.md", "src/out/x.md", "../x", "/etc/passwd", "src/../docs/x.md", ".git/config", "src", "~/x", ""];
  assertEquals([...yes, ...no].map((path) => may(path)), [...yes.map(() => true), ...no.map(() => false)]);
  assertEquals(may("src/a.ts", "docs/x.md"), false);
  const inFolder = { kind: "file_write", subject: "a.ts", cwd: `${dir.path}/src` } as const;
  assertEquals(whyRefused(inFolder, { workdir: dir.path, allowWrite: ["src/**"] }), undefined);
  assertEquals(
    whyRefused({ kind: "file_edit", subject: "docs/x.md" }, { workdir: dir.path, allowWrite: ["src/**", "a.txt"] }),
    "This step may write to these files only: src/**, a.txt. docs/x.md is not among them.",
  );
});

/** Commands that name a file outside of src/** for certain. */
const REFUSED = [
  "echo x > other.txt",
  "npm test >> log.txt 2>&1",
  "cd src && echo x > ../other.txt",
  "cd docs && touch y.md && cd ..",
  "cd /tmp; echo x > /tmp/y",
  "echo x | tee -a src/a.ts docs/x.md",
  "sed -i 's/a/b/' docs/x.md",
  "sed -i -e s/a/b/ docs/x.md",
  "cp src/a.ts copy.ts",
  "mv docs/x.md src/x.md",
  "rm -rf docs",
  "rm -rf .",
  "cd src && rm -r ..",
  "rm -f docs/x.md",
  "timeout 5 truncate -s 0 docs/x.md",
  "bash -lc 'cd src; echo x > ../y'; true",
  "false || echo x > .git/hooks/pre-commit",
  "dd if=/dev/zero of=disk count=1",
  "echo x > src/out/y.md",
  "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: docs/x.md\n@@\n-a\n+b\n*** End Patch\nEOF",
  "cd docs && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: y.md\n+b\n*** End Patch\nEOF",
];

/** Commands that name none, or of which that is not certain. */
const LEFT_ALONE = [
  "npm test 2>&1 > /dev/null",
  "echo x > src/b.ts",
  "cd src && echo x > b.ts",
  "cd src; echo x > b.ts",
  "cp -r docs src/",
  "cp src/a.ts src",
  "cp -rt src docs",
  "cp --target-directory=src docs/x.md",
  "mv src/a.ts src/b.ts",
  "rm -rf src",
  "rm -f src/*.ts",
  "rm src/out",
  "sed -i 's/docs/x/' src/a.ts",
  "sed -n 's/a/b/p' docs/x.md",
  "mkdir -p build/x",
  'echo x > "$OUT"',
  "echo x > ~/y",
  "touch() { true; }; touch docs/y.md",
  "for f in a b; do cd ..; done; echo x > y",
  "grep -rn '> other.txt' .",
  "cat docs/x.md <<'EOF'\necho x > other.txt\nEOF",
  "git commit -qam x",
  "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\nEOF",
  "echo 'unclosed > other.txt",
];

Deno.test("a shell command is refused where it names for certain what may not be written", async () => {
  await using dir = await project();
  const refused = (command: string) =>
    whyRefused({ kind: "command", subject: command, cwd: dir.path }, { workdir: dir.path, allowWrite: ["src/**"] }) !==
      undefined;
  assertEquals(REFUSED.filter((command) => !refused(command)), []);
  assertEquals(LEFT_ALONE.filter(refused), []);
});
