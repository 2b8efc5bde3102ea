import { assert, assertEquals } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { otherMount, whyOnlyOneMount } from "../chaos/response_place.ts";
import { cleanEnvironment } from "../support/run_panewright.ts";
import { createSandbox } from "../support/sandbox.ts";

const MODULE = new URL("../../lib/turn/archive.ts", import.meta.url).href;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const PROGRAM = `import { moveToArchive } from ${JSON.stringify(MODULE)};
moveToArchive(Deno.args[0], { archiveDir: Deno.args[1], label: "tester" });
`;
const TEXT = "RESULT: PASS\n".repeat(1000);
const KILLED_CODE = 137;

const noMount = await whyOnlyOneMount();
const noStrace = await whyNoStrace();

/**
 * Archives a response in a process of its own: how that ends, what is where, and what the process asked of the system.
 */
async function archive(
  options: { readonly acrossMounts: boolean; readonly fault?: string; readonly traced?: boolean },
) {
  await using sandbox = await createSandbox();
  const { root, project } = sandbox;
  const place = options.acrossMounts
    ? await otherMount(sandbox)
    : { responsesDir: `${project}/.tmp/agent-responses`, through: [] };
  const archiveDir = `${project}/archive`;
  await Deno.mkdir(place.responsesDir, { recursive: true });
  await Deno.mkdir(archiveDir);
  await Deno.writeTextFile(`${place.responsesDir}/tester.md`, TEXT);
  await Deno.writeTextFile(`${root}/program.ts`, PROGRAM);
  const trace = `${root}/trace`;
  const strace = ["strace", "-f", "-y", "-qq", "-e", "trace=fsync,fdatasync,rename,unlink,write,sendfile", "-o", trace];
  const [first, ...more] = [
    ...place.through,
    ...(options.traced === true ? strace : []),
    ...[Deno.execPath(), "run", "--quiet", "--no-check", `--config=${CONFIG}`, "--allow-all", `${root}/program.ts`],
    ...[`${project}/.tmp/agent-responses/tester.md`, archiveDir],
  ];
  const { code, stderr } = await systemProcessRunner.run({
    argv: [first!, ...more],
    clearEnv: true,
    env: cleanEnvironment(options.fault === undefined ? {} : { PANEWRIGHT_FAULT: options.fault }),
    timeoutMs: 30_000,
  });
  const source = await Deno.readTextFile(`${place.responsesDir}/tester.md`).catch(() => undefined);
  const archived = await Deno.readTextFile(`${archiveDir}/001-tester.md`).catch(() => undefined);
  return { code, stderr, source, archived, calls: options.traced === true ? await readTrace(trace, project) : [] };
}

/** The calls that name the project, as `rename .tmp/agent-responses/tester.md archive/001-tester.md`. */
async function readTrace(path: string, project: string): Promise<readonly string[]> {
  const lines = (await Deno.readTextFile(path)).split("\n").filter((line) => line.includes(project));
  return lines.flatMap((line) => {
    const [, call = ""] = /(\w+)\(/.exec(line) ?? [];
    const paths = [...line.matchAll(/["<]([^">]+)[">]/g)].flatMap(([, text = ""]) =>
      text.startsWith(`${project}/`) ? [text.slice(project.length + 1)] : []
    );
    return [[call.replace("fdatasync", "fsync"), ...paths].join(" ")];
  });
}

/** Why calls cannot be traced here; undefined where they can. */
async function whyNoStrace(): Promise<string | undefined> {
  try {
    const { code, stderr } = await systemProcessRunner.run({ argv: ["strace", "-qq", "-e", "trace=none", "true"] });
    return code === 0 ? undefined : `strace cannot trace here: ${stderr.trim()}`;
  } catch {
    return "there is no strace";
  }
}

const because = (reason: string | undefined) => reason === undefined ? "" : ` (not tried: ${reason})`;

Deno.test({
  name: `a response and its folder are on the disk before it counts as archived${because(noStrace)}`,
  ignore: noStrace !== undefined,
  async fn() {
    const { code, stderr, archived, calls } = await archive({ acrossMounts: false, traced: true });
    assertEquals([code, archived], [0, TEXT], stderr);
    const moved = calls.findIndex((call) => call.startsWith("rename ") && call.endsWith("archive/001-tester.md"));
    const content = calls.findIndex((call) => /^fsync .*tester\.md$/.test(call));
    assert(moved >= 0 && content >= 0, calls.join("\n"));
    assert(calls.lastIndexOf("fsync archive") > moved, calls.join("\n"));
  },
});

const acrossMounts = noMount ?? noStrace;
Deno.test({
  name: `across mounts a copy gets its name when it is whole, and the original goes last${because(acrossMounts)}`,
  ignore: acrossMounts !== undefined,
  async fn() {
    const { code, stderr, archived, source, calls } = await archive({ acrossMounts: true, traced: true });
    assertEquals([code, archived, source], [0, TEXT, undefined], stderr);
    const told = calls.join("\n");
    const named = calls.findLastIndex((call) => call.startsWith("rename ") && call.endsWith("archive/001-tester.md"));
    const [, copy = "", _target] = calls[named]?.split(" ") ?? [];
    assert(copy.startsWith("archive/"), told);
    const synced = calls.indexOf(`fsync ${copy}`);
    const folderSynced = calls.findIndex((call, index) => index > named && call === "fsync archive");
    const removed = calls.findIndex((call) => call === "unlink .tmp/agent-responses/tester.md");
    assert(synced >= 0 && synced < named && named < folderSynced && folderSynced < removed, told);
    assert(
      !calls.some((call, index) => index < named && /^(write|sendfile).* archive\/001-tester\.md/.test(call)),
      told,
    );
  },
});

for (const acrossMounts of [false, true]) {
  const reason = acrossMounts ? noMount : undefined;
  const where = acrossMounts ? "across mounts" : "by a rename";
  Deno.test({
    name: `a process killed while it archives ${where} leaves the response whole, in one place${because(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      for (const when of ["before", "in", "after"] as const) {
        const { code, source, archived } = await archive({ acrossMounts, fault: `${when}-archive:1` });
        assertEquals(code, KILLED_CODE, when);
        const isArchived = when === "after" || (when === "in" && !acrossMounts);
        // A name that was only reserved is an empty file.
        assertEquals([source, archived || undefined], isArchived ? [undefined, TEXT] : [TEXT, undefined], when);
      }
      assertEquals((await archive({ acrossMounts, fault: "after-archive:2" })).code, 0);
    },
  });
}
