import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "@std/toml";
import { packProvider } from "../../lib/agents/packs/provider.ts";
import { agentStateAt, copyState } from "../../lib/agents/whole_agent.ts";
import type { PackSandbox } from "../../lib/agents/packs/pack.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const MINE: PackSandbox = {
  state: { variable: "MINE_HOME", folder: ".mine" },
  copied: ["settings.json", "skills"],
  login: "auth.json",
  hosts: ["model.example.org"],
  variables: ["MINE_*"],
};

/** An agent of a configuration, and the home that it is to work in. */
function agentIn(dir: TempDir, sandbox: PackSandbox | string, env: Readonly<Record<string, string>> = {}) {
  const provider = packProvider("mine", { label: "Mine", program: "mine", sandbox }, { isOfConfig: true });
  return [{ provider, args: [], env }, { env: { HOME: `${dir.path}/home` } }] as const;
}

Deno.test("an agent inside has a copy of its settings, and of its state only the file with the login is its own", async () => {
  await using dir = await tempDir();
  await dir.write({
    "home/.mine/settings.json": "{}",
    "home/.mine/skills/one.md": "Do it.",
    "home/.mine/auth.json": "login",
    "home/.mine/history": "what was said",
  });
  const [agent, around] = agentIn(dir, MINE);
  const root = `${dir.path}/own`;
  await copyState(root, agent, around);
  const state = agentStateAt(root, agent, around);
  assertEquals(state.env, { MINE_HOME: `${root}/state` });
  const login = await Deno.realPath(`${dir.path}/home/.mine/auth.json`);
  assertEquals(state.writable, [root, login]);
  const names = [...Deno.readDirSync(`${root}/state`)].map(({ name }) => name).sort();
  assertEquals(names, ["auth.json", "settings.json", "skills"]);
  assertEquals(await Deno.readLink(`${root}/state/auth.json`), login);
});

Deno.test("no pack of a configuration takes inside what is hidden there, by whatever name it calls it", async () => {
  await using dir = await tempDir();
  await dir.write({ "home/.ssh/id_rsa": "key", "home/.mine/settings.json": "{}" });
  await Deno.symlink("../.ssh/id_rsa", `${dir.path}/home/.mine/link`);
  const home = { variable: "HOME", folder: "" };
  for (
    const [sandbox, env] of [
      [{ ...MINE, state: home, copied: [".ssh"] }],
      [{ ...MINE, state: home, copied: [".ssh/id_rsa"] }],
      [{ ...MINE, state: home, login: ".netrc" }],
      [{ ...MINE, copied: ["link"] }],
      [{ ...MINE, copied: ["gh"] }, { MINE_HOME: `${dir.path}/home/.config` }],
      [{ ...MINE, state: { variable: "MINE_HOME", folder: ".config" }, beside: ".claude.json" }],
    ] as const
  ) {
    const error = assertThrows(() => agentStateAt(`${dir.path}/own`, ...agentIn(dir, sandbox, env)), UsageError);
    assertStringIncludes(error.message, "Cannot put mine into the sandbox: its pack takes ");
  }
  // Named as another's, which the person is shown.
  assertEquals(agentStateAt(`${dir.path}/own`, ...agentIn(dir, "codex")).env, { CODEX_HOME: `${dir.path}/own/state` });
  for (const unknown of ["constructor", "gemini"]) {
    const error = assertThrows(() => agentStateAt(`${dir.path}/own`, ...agentIn(dir, unknown)), UsageError);
    assertStringIncludes(error.message, "nothing is known of where it keeps its state");
  }
});

Deno.test("what an agent has made of its copy does nothing outside when that is made anew", async () => {
  await using dir = await tempDir();
  const home = `${dir.path}/home`;
  const sandbox = {
    ...MINE,
    state: { variable: "MINE_HOME", folder: "" },
    copied: [".mine/settings.json", ".mine/skills"],
    login: ".mine/auth.json",
    beside: "mine.json",
  };
  const [agent, around] = agentIn(dir, sandbox);
  const root = `${dir.path}/own`;
  const theirs = {
    ".mine/settings.json": "{}",
    ".mine/auth.json": "login",
    ".bashrc": "alias",
    "other/auth.json": "x",
  };
  const seen = async () =>
    Object.fromEntries(
      await Promise.all(Object.keys(theirs).map(async (name) => [name, await Deno.readTextFile(`${home}/${name}`)])),
    );
  for (const [name, text] of Object.entries(theirs)) await dir.write({ [`home/${name}`]: text });
  const adapt = async (folder: string) => await Deno.writeTextFile(`${folder}/mine.json`, "adapted");
  const adapted = { ...agent, provider: { ...agent.provider, whole: { ...sandbox, adapt } } };
  for (
    const tamper of [
      () => Deno.symlink(`${home}/.mine`, `${root}/state/.mine`),
      () => Deno.symlink(`${home}/other`, `${root}/state/.mine`),
      () => Deno.symlink(`${home}/.bashrc`, `${root}/state/mine.json`),
      () => Deno.remove(`${root}/state`, { recursive: true }).then(() => Deno.symlink(home, `${root}/state`)),
      () =>
        Deno.remove(`${root}/state`, { recursive: true }).then(() => Deno.symlink(`${home}/other`, `${root}/state`)),
    ]
  ) {
    await copyState(root, adapted, around);
    assertEquals(await Deno.readTextFile(`${root}/state/.mine/settings.json`), "{}");
    await Deno.remove(`${root}/state/.mine`, { recursive: true });
    await Deno.remove(`${root}/state/mine.json`);
    await tamper();
    await copyState(root, adapted, around);
    assertEquals(await seen(), theirs);
    assertEquals(await Deno.readTextFile(`${root}/state/mine.json`), "adapted");
    assertEquals([...Deno.readDirSync(`${home}/other`)].map(({ name }) => name), ["auth.json"]);
  }
});

Deno.test("a copy trusts a clone where the person's own settings trust what it is of, and not otherwise", async () => {
  await using dir = await tempDir();
  const clone = { folders: ["/clones/shop", "/clones/shop/web"], of: ["/home/me/shop", "/home/me/shop/web"] };
  const trusting = { "/home/me/shop": { hasTrustDialogAccepted: true, allowedTools: [] }, "/else": {} };
  await dir.write({
    "home/.codex/config.toml": 'model = "m"\n[projects."/home/me/shop"]\ntrust_level = "trusted"\n',
    "home/.claude.json": JSON.stringify({ projects: trusting }),
  });
  const copied = async (sandbox: string, file: string, more: { readonly clone?: typeof clone }) => {
    const [agent, around] = agentIn(dir, sandbox);
    await copyState(`${dir.path}/${sandbox}`, agent, { ...around, ...more });
    return await Deno.readTextFile(`${dir.path}/${sandbox}/state/${file}`);
  };
  const { projects } = parse(await copied("codex", "config.toml", { clone })) as { projects: object };
  assertEquals(projects, {
    "/home/me/shop": { trust_level: "trusted" },
    "/clones/shop": { trust_level: "trusted" },
    "/clones/shop/web": { trust_level: "trusted" },
  });
  const ofClaude = JSON.parse(await copied("claude_code", ".claude.json", { clone })).projects;
  assertEquals(ofClaude, {
    ...trusting,
    "/clones/shop": trusting["/home/me/shop"],
    "/clones/shop/web": trusting["/home/me/shop"],
  });
  const other = { clone: { ...clone, of: ["/home/me/other"] } };
  for (const more of [{}, other]) {
    assertEquals((await copied("codex", "config.toml", more)).includes("/clones"), false);
    assertEquals((await copied("claude_code", ".claude.json", more)).includes("/clones"), false);
  }
});
