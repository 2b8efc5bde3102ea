import { assert, assertEquals, assertThrows } from "@std/assert";
import { findProblems } from "../../lib/config/issues.ts";
import { parseJsonc } from "../../lib/config/jsonc.ts";
import { PACK_FORM, parsePack } from "../../lib/config/pack_schema.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { findProvider, findRoleProvider, hasAcp, PROVIDERS } from "../../lib/agents/mod.ts";
import { PACK_PROVIDERS, PACK_TEXTS, PACKS } from "../../lib/agents/packs/built_in.ts";
import { packProvider } from "../../lib/agents/packs/provider.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";

const FOLDER = new URL("../../packs/", import.meta.url);

Deno.test("each file of packs/ is built in, is right by the schema, and holds no secret", () => {
  const files = Array.from(Deno.readDirSync(FOLDER), ({ name }) => name).sort();
  assertEquals(files, Object.keys(PACK_TEXTS).map((id) => `${id}.jsonc`).sort());
  for (const [id, text] of Object.entries(PACK_TEXTS)) {
    assertEquals(text, Deno.readTextFileSync(new URL(`${id}.jsonc`, FOLDER)));
    const { value, syntaxError, duplicateKeys } = parseJsonc(text);
    assertEquals([syntaxError, duplicateKeys, findProblems(value, PACK_FORM)], [undefined, [], []], id);
    assertEquals(parsePack(PACKS[id]), parsePack(value));
    assertEquals(createRedactor([]).text(text), text, id);
  }
});

Deno.test("OpenCode asks in its mode whatever a project says of it, and starts no agents that would not", () => {
  const { OPENCODE_PERMISSION = "", OPENCODE_CONFIG_CONTENT = "" } = PACKS["opencode"]?.env ?? {};
  const asked = { bash: "ask", edit: "ask", external_directory: "ask", webfetch: "ask", task: "deny" };
  assertEquals(JSON.parse(OPENCODE_PERMISSION), asked);
  const { id = "" } = PACKS["opencode"]?.ask_mode ?? {};
  assertEquals(JSON.parse(OPENCODE_CONFIG_CONTENT), { agent: { [id]: { permission: asked } } });
});

Deno.test("a pack's agents are providers like any other: by their ids, and for roles", () => {
  for (const { id, acp } of PACK_PROVIDERS) {
    assertEquals(findRoleProvider(id).id, id);
    assert(hasAcp(findProvider(id)));
    // What asks and what does not, is told once.
    const { asks_before: before = [], asks_before_changes: changes = [] } = acp.ask_mode ?? {};
    assertEquals(before.filter((kind) => changes.includes(kind)), [], id);
  }
  assertEquals(new Set(PROVIDERS.map(({ id }) => id)).size, PROVIDERS.length);
  const error = assertThrows(() => findProvider("gemni"), UsageError);
  assertEquals(error.message, 'Cannot use provider "gemni": it does not exist (did you mean "gemini"?)');
});

const launch = { workdir: "/w", args: ["--verbose"], env: { MY: "1" } } as const;

Deno.test("an agent is started with the pack's arguments and variables, then with those of the configuration", () => {
  const pack = { label: "Mine", program: "mine", args: ["acp"], env: { MY: "0", UPDATES: "off" } };
  const { acp } = packProvider("mine", { ...pack, model: { by: "argument", name: "--model" } });
  assertEquals(acp.launch({ ...launch, model: "m" }), {
    argv: ["mine", "acp", "--model", "m", "--verbose"],
    env: { MY: "1", UPDATES: "off" },
    cwd: "/w",
  });
  assertEquals(acp.launch({ ...launch, command: ["nice", "mine"] }).argv, ["nice", "mine", "acp", "--verbose"]);
  const byVariable = packProvider("mine", { ...pack, model: { by: "variable", name: "MINE_MODEL" } }).acp;
  assertEquals(byVariable.launch({ ...launch, model: "m" }).env, { MY: "1", UPDATES: "off", MINE_MODEL: "m" });
  // These two are chosen once the session is open.
  const byOption = packProvider("mine", { ...pack, model: { by: "config_option", id: "model" } }).acp;
  assertEquals(byOption.launch({ ...launch, model: "m" }), byOption.launch(launch));
});

Deno.test("how an agent is installed: as its pack says, by npm, on PATH, or at its path", () => {
  const hint = (pack: { program: string; npm_package?: string; install_hint?: string }) =>
    packProvider("mine", { label: "Mine", ...pack }).cli?.installHint;
  assertEquals(hint({ program: "mine", npm_package: "@m/ine", install_hint: "Build it." }), "Build it.");
  assertEquals(hint({ program: "mine", npm_package: "@m/ine" }), "Install it with: npm install --global @m/ine");
  assertEquals(hint({ program: "mine" }), "Install mine, and see that it is on PATH.");
  assertEquals(hint({ program: "./mine" }), 'Install it as ./mine, or correct "program" of its file.');
});

Deno.test("an agent without a program needs a command, and a model only where a way to choose it is known", () => {
  const { acp } = packProvider("any", { label: "Any" });
  assertEquals(acp.launch({ ...launch, command: ["x"] }).argv, ["x", "--verbose"]);
  assertEquals(
    assertThrows(() => acp.launch(launch), UsageError).message,
    "Cannot start an agent of any: no command is given",
  );
  assertEquals(
    assertThrows(() => acp.launch({ ...launch, command: ["x"], model: "m" }), UsageError).message,
    'Cannot give any the model "m": how its model is chosen is not known',
  );
});

Deno.test("the login that shows decides about the authentication method: the first whose variables and file are there", () => {
  const { acp, cli } = packProvider("mine", {
    label: "Mine",
    program: "mine",
    login: [
      { variables: ["A", "B"], auth_method: "both" },
      { file: "${MINE_HOME:-~/.mine}/auth.json", auth_method: "file" },
      { variables: ["C"] },
    ],
  });
  const look = (env: Readonly<Record<string, string>>, files: readonly string[] = []) => ({
    env: (name: string) => ({ HOME: "/h", ...env })[name],
    kindOf: (path: string) => files.includes(path) ? "file" as const : undefined,
    readText: () => undefined,
    ...{ args: [], workdir: "/w", asksPerson: false, version: undefined },
  });
  assertEquals(acp.authMethod(look({ A: "1", B: "1" }, ["/h/.mine/auth.json"])), "both");
  assertEquals(acp.authMethod(look({ A: "1", B: "", C: "1" }, ["/h/.mine/auth.json"])), "file");
  assertEquals(acp.authMethod(look({ MINE_HOME: "/m" }, ["/h/.mine/auth.json"])), undefined);
  assertEquals(acp.authMethod(look({ MINE_HOME: "/m" }, ["/m/auth.json"])), "file");
  assertEquals(acp.authMethod(look({ MINE_HOME: "" }, ["/h/.mine/auth.json"])), "file", "as in a shell");
  assertEquals(acp.authMethod(look({ C: "1" })), undefined);
  assertEquals(cli?.setup?.findLogin?.(look({ C: "1" })), { state: "ready", detail: "login by C" });
  assertEquals(cli?.setup?.findLogin?.(look({})), {
    state: "unknown",
    detail: "nothing shows a login: no A with B, ~/.mine/auth.json, C",
  });
});

Deno.test("a login status that is an object is read as one", async () => {
  const { cli } = packProvider("mine", { label: "Mine", program: "mine", login_status_args: ["auth"] });
  const judge = async (stdout: string, code: number) =>
    await cli?.setup?.judgeLogin({ stdout, stderr: "", code, timedOut: false, truncated: false }, {} as never);
  assertEquals(await judge('{ "loggedIn": false }', 1), { state: "missing", detail: "not logged in" });
  assertEquals(await judge('{ "loggedIn": true }', 0), { state: "ready", detail: "logged in" });
  assertEquals(await judge("Not logged in", 1), { state: "missing", detail: "Not logged in" });
});
