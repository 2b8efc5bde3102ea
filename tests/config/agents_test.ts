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

/** What is wrong, a line each; a rest that depends on the machine is left out. */
async function problemsOf(pack: string | undefined, config: Readonly<Record<string, unknown>> = {}) {
  await using dir = await folder(pack, config);
  const error = await assertRejects(() => load(dir), ConfigError);
  return error.problems.map(({ where, message, row }) => [`${where}: ${message.replaceAll(dir.path, "…")}`, row]);
}

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

Deno.test("mistakes of a pack have its file, row and column, after those of the config", async () => {
  const pack = `{
  "label": "Mine",
  "progam": "mine",
  "tools": [{ "kind": "execute", "as": "comand", "subject": { "from": "input", "path": ["command"] } }],
  "failures": [{ "class": "auth", "words": "(a+)+$" }],
}`;
  const rows = pack.split("\n");
  const problems = await problemsOf(pack, { limits: { max_round: 1 } });
  assertEquals(
    problems.map(([text]) => text?.replace(/(?:\.? Allowed here|: begin it).*/, "")),
    [
      'panewright.jsonc:1:85: unknown key "max_round" in limits; did you mean "max_rounds"?',
      'packs/mine.jsonc:3:3: unknown key "progam"; did you mean "program"?',
      "packs/mine.jsonc:4:34: tools[0].as must be one of command, patch, file_write, file_edit, plan, other, but is the " +
      'string "comand"; did you mean "command"?',
      "packs/mine.jsonc:5:35: failures[0].words could take very long on some texts",
    ].map((text) => text.replace(/:1:\d+:/, problems[0]?.[0]?.match(/:1:\d+:/)?.[0] ?? "")),
  );
  assertEquals(problems.slice(1).map(([, row]) => row), rows.slice(2, 5));
});

Deno.test("what stands alone in a pack needs what belongs to it", async () => {
  for (
    const [pack, problem] of [
      ['"login": [{}]', "login[0] needs variables or a file: what shows this login?"],
      ['"login": [{ "file": "auth.json" }]', "login[0].file must be a path that begins with /"],
      ['"tools": [{ "as": "command", "subject": { "from": "title" } }]', "tools[0] needs a name or a kind"],
      [
        '"tools": [{ "kind": "edit", "as": "patch", "subject": { "from": "meta" } }]',
        "tools[0].subject.path is missing",
      ],
      [
        '"tools": [{ "kind": "edit", "as": "patch", "subject": { "from": "diffs", "path": ["a"] } }]',
        "tools[0].subject.path has no effect with diffs",
      ],
      ['"failures": [{ "class": "auth" }]', "failures[0] needs a code or words"],
      ['"model": { "by": "argument" }', "model.name is missing"],
      ['"min_version": "1.2"', "min_version must be three numbers, such as 1.4.0"],
      ['"label": "two\\nlines"', "label must be one line"],
    ] as const
  ) {
    const head = pack.startsWith('"label"') ? "" : '"label": "Mine", ';
    const [first] = await problemsOf(`{ ${head}${pack} }`);
    assertEquals(first?.[0]?.includes(problem), true, `${pack}: ${first?.[0]}`);
  }
});

Deno.test("a pack holds no secret, and a message about one does not show it", async () => {
  const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const [first, ...others] = await problemsOf(`{ "label": "Mine", "args": ["--key=${key}"] }`);
  assertEquals([first?.[0]?.replace(/^\S+ /, ""), others.length], [
    "args[0] looks like a secret, which no pack may hold: set a variable where panewright is started",
    0,
  ]);
  assertEquals(JSON.stringify(first).includes("abcdefghij"), false);
  const [named] = await problemsOf('{ "label": "Mine", "env": { "MINE_API_KEY": "x" } }');
  assertMatch(named?.[0] ?? "", /env\.MINE_API_KEY is by its name a secret, which no pack may hold/);
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

Deno.test("the name of a built-in agent, and a name of another form, are refused", async () => {
  const agents = { gemini: "packs/mine.jsonc", "My Agent": "packs/mine.jsonc", constructor: "packs/mine.jsonc" };
  const form = "is not a name of an agent: it must be 1 to 64 small letters, digits, _ or -, and begin with a letter";
  assertEquals((await problemsOf(PACK, { agents })).map(([text]) => text?.replace(/^\S+ /, "")), [
    "agents.gemini is the name of an agent that is built in: yours needs another one",
    `agents.My Agent ${form}, and not "constructor"`,
    `agents.constructor ${form}, and not "constructor"`,
  ]);
});

Deno.test("keys that mean nothing to an agent over ACP are refused: profile, a model that cannot be chosen, rules, a sandbox", async () => {
  const words = async (config: Readonly<Record<string, unknown>>) =>
    (await problemsOf(PACK, config)).map(([text]) => text?.replace(/^\S+ /, "").replace(/\. Allowed here.*/, ""));
  assertEquals(await words({ roles: { tester: { provider: "gemini", profile: "p" } } }), [
    "roles.tester.profile has no effect on Gemini CLI, which is driven over the Agent Client Protocol: use args or env",
  ]);
  assertEquals(await words({ providers: { mine: { model: "m" } } }), [
    "providers.mine.model cannot be given to mine: how its model is chosen is not known; use args or env, or a pack that " +
    "says how",
  ]);
  assertEquals(await words({ rules: { gemini: [] } }), ['unknown key "gemini" in rules']);
  assertEquals(
    (await words({ provider: "qwen", sandbox: "cli" }))[0],
    [
      "provider asks for a sandbox, but the provider qwen brings none",
    ][0],
  );
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
