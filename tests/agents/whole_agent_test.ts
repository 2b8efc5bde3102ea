import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
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
