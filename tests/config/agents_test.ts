/** Agents that a configuration adds: `agents`, and the packs that it names. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConfigError, loadConfig } from "../../lib/config/load.ts";
import { changesSince, examineConfig, trustedConfig } from "../../lib/config/trust/examine.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

/** A config that adds the agent `mine`, described by `pack`. */
async function folder(pack: string | undefined, config: Readonly<Record<string, unknown>> = {}): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({
    "job.md": FLAG_JOB,
    "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", agents: { mine: "packs/mine.jsonc" }, ...config }),
    "packs/x": "",
    ...(pack === undefined ? {} : { "packs/mine.jsonc": pack }),
  });
  return dir;
}

const load = (dir: TempDir, flags: Readonly<Record<string, unknown>> = {}) =>
  loadConfig({ cwd: dir.path, env: () => undefined, flags });

const PACK = '{ "label": "Mine", "program": "mine" }';

Deno.test("a config adds an agent, which roles, providers, permissions, variables and flags may name", async () => {
  await using dir = await folder(PACK, {
    roles: { tester: { provider: "mine" } },
    providers: { mine: { args: ["-v"] } },
    permissions: { ask: [{ command: "make **", providers: ["mine"] }] },
  });
  const { providers, config } = await load(dir, { provider: "mine" });
  assertEquals([providers.at(-1)?.id, providers.at(-1)?.label, config.provider], ["mine", "Mine", "mine"]);
  const error = await assertRejects(() => load(dir, { provider: "mien" }), ConfigError);
  assertMatch(error.problems[0]?.message ?? "", /, acp, mine, but is the string "mien"; did you mean "mine"\?$/);
});

Deno.test("a pack that is missing, a link, a FIFO, a folder, too large or not UTF-8 is refused where it is named", async () => {
  const refused = async (make: (path: string) => Promise<unknown>) => {
    await using dir = await folder(undefined);
    await make(`${dir.path}/packs/mine.jsonc`);
    const { problems } = await assertRejects(() => load(dir), ConfigError);
    return problems.map(({ where, message }) => [where.split(":")[0], message.replace(/^.*, but /, "")]);
  };
  const inConfig = (reason: string) => [["panewright.jsonc", reason]];
  assertEquals(await refused(() => Promise.resolve()), inConfig("there is no such file"));
  assertEquals(await refused((path) => Deno.symlink("/etc/passwd", path)), inConfig("it is a link"));
  assertEquals(
    await refused((path) => new Deno.Command("mkfifo", { args: [path] }).output()),
    inConfig("it is a FIFO"),
  );
  assertEquals(await refused((path) => Deno.mkdir(path)), inConfig("it is a folder"));
  const large = await refused((path) => Deno.writeTextFile(path, " ".repeat(1024 * 1024 + 1)));
  assertMatch(large[0]?.[1] ?? "", /larger than 1 MiB/);
  const bytes = await refused((path) => Deno.writeFile(path, Uint8Array.of(0x7b, 0xff)));
  assertMatch(bytes[0]?.[1] ?? "", /UTF-8/);
});

Deno.test("what a pack starts, and where its requests are read, is among what a person trusts; its text counts", async () => {
  const tools = [{ kind: "execute", as: "command", subject: { from: "title" } }];
  const pack = {
    label: "Mine",
    program: "evil",
    args: ["--acp"],
    env: { LD_PRELOAD: "x.so" },
    version_args: ["-v"],
    tools,
  };
  await using dir = await folder(JSON.stringify(pack));
  const path = `${dir.path}/panewright.jsonc`;
  const subject = await examineConfig(path);
  assertEquals(subject.items.filter(({ key }) => key.startsWith("agents.")), [
    {
      key: "agents.mine",
      does: "adds an agent that this file describes",
      value: "packs/mine.jsonc",
      alone: false,
    },
    {
      key: "agents.mine.program",
      does: "runs a program of its own as an agent",
      value: ["evil", "--acp"],
      alone: true,
    },
    {
      key: "agents.mine.env.LD_PRELOAD",
      does: "sets an environment variable of an agent",
      value: "x.so",
      alone: true,
    },
    {
      key: "agents.mine.version_args",
      does: "asks that program for its version with these arguments",
      value: ["-v"],
      alone: false,
    },
    {
      key: "agents.mine.tools",
      does: "says where an agent's requests have what is decided about",
      value: tools,
      alone: false,
    },
  ]);
  const trusted = await trustedConfig(subject, new Date());
  await Deno.writeTextFile(`${dir.path}/packs/mine.jsonc`, JSON.stringify({ ...pack, program: "worse" }));
  const changes = await changesSince(trusted, await examineConfig(path));
  assertEquals([changes.files, changes.items.map(({ key }) => key)], [["packs/mine.jsonc"], ["agents.mine.program"]]);
});
