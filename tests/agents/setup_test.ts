import { assertEquals } from "@std/assert";
import { claudeSetup } from "../../lib/agents/claude_code/setup.ts";
import { codexSetup } from "../../lib/agents/codex/setup.ts";
import type { SetupLook } from "../../lib/agents/setup.ts";

const KEY = "sk-test-0123456789abcdefghij";
const LOGGED_OUT = { code: 1, stdout: "", stderr: "Not logged in\n", timedOut: false, truncated: false };

/** A CLI in /home/me/shop, a repository, with the files that are given. */
function lookAt(
  { files = {}, env = {}, ...more }: Partial<Omit<SetupLook, "env">> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): SetupLook {
  const there: Readonly<Record<string, string>> = { "/home/me/shop/.git/HEAD": "", ...files };
  const variables: Readonly<Record<string, string>> = { HOME: "/home/me", ...env };
  return {
    env: (name) => variables[name],
    args: [],
    workdir: "/home/me/shop",
    asksPerson: true,
    version: "0.169.0",
    readText: (path) => there[path],
    kindOf: (path) =>
      there[path] !== undefined
        ? "file"
        : Object.keys(there).some((each) => each.startsWith(`${path}/`))
        ? "folder"
        : undefined,
    ...more,
  };
}

const CODEX = "/home/me/.codex/config.toml";
const trusting = (folder: string, level = "trusted") => `[projects."${folder}"]\ntrust_level = "${level}"\n`;

Deno.test("Codex trusts a folder that its config.toml names; what else may say so cannot be told", async () => {
  const rows: readonly (readonly [Partial<Parameters<typeof lookAt>[0]>, string])[] = [
    [{}, "missing"],
    [{ files: { [CODEX]: trusting("/home/me/shop") } }, "ready"],
    [{ files: { [CODEX]: trusting("/home/me/shop") }, workdir: "/home/me/shop/web" }, "ready"],
    [{ files: { [CODEX]: trusting("/home/me/shop", "untrusted") } }, "missing"],
    [{ files: { [CODEX]: trusting("/home/me") } }, "unknown"],
    [{ files: { [CODEX]: "not = [toml" } }, "unknown"],
    [{ files: { "/etc/codex/config.toml": trusting("/home/me/shop") } }, "unknown"],
    [{ args: ["-c", 'projects."/home/me/shop".trust_level="trusted"'] }, "unknown"],
    [{ profile: "work" }, "unknown"],
    [{ version: "0.53.0" }, "unknown"],
    [{ version: undefined }, "unknown"],
    [{ workdir: "/srv/plain" }, "ready"],
    [{ workdir: "/srv/plain", files: { "/srv/plain/.codex/config.toml": "" } }, "missing"],
    [{ workdir: "/srv/tree", files: { "/srv/tree/.git": "gitdir: /elsewhere" } }, "unknown"],
    [{ asksPerson: false }, "ready"],
  ];
  for (const [look, state] of rows) {
    assertEquals((await codexSetup.findTrust(lookAt(look))).state, state, JSON.stringify(look));
  }
});

Deno.test("Codex without a login works with a model provider of its own, whose key is there", async () => {
  const provider = (more = "") => `model_provider = "lab"\n[model_providers.lab]\nname = "lab"\n${more}`;
  const rows: readonly (readonly [Partial<Parameters<typeof lookAt>[0]>, string])[] = [
    [{}, "missing"],
    [{ files: { [CODEX]: 'model_provider = "openai"' } }, "missing"],
    [{ files: { [CODEX]: provider() } }, "ready"],
    [{ files: { [CODEX]: provider('env_key = "LAB"') } }, "missing"],
    [{ files: { [CODEX]: provider('env_key = "LAB"') }, env: { LAB: "x" } }, "ready"],
    [{ files: { [CODEX]: provider("requires_openai_auth = true") } }, "missing"],
    [{ files: { [CODEX]: "profile = 'x'" } }, "unknown"],
    [{ files: { "/home/me/shop/.codex/config.toml": provider() } }, "unknown"],
    [{ args: ["-c", 'model_provider="lab"'] }, "unknown"],
    [{ args: ["--oss"] }, "unknown"],
    [{ env: { HOME: "/home/other", CODEX_HOME: "/cx" }, files: { "/cx/config.toml": provider() } }, "ready"],
  ];
  for (const [look, state] of rows) {
    assertEquals((await codexSetup.judgeLogin(LOGGED_OUT, lookAt(look))).state, state, JSON.stringify(look));
  }
});

Deno.test("Claude Code trusts a folder, or one above it; a key that it has not been told of is asked about", async () => {
  const state = (value: object) => ({ "/home/me/.claude.json": JSON.stringify(value) });
  const trusts = (folder: string, is = true) => state({ projects: { [folder]: { hasTrustDialogAccepted: is } } });
  const folders: readonly (readonly [Partial<Parameters<typeof lookAt>[0]>, string])[] = [
    [{}, "missing"],
    [{ files: trusts("/home/me/shop") }, "ready"],
    [{ files: trusts("/home/me/shop"), workdir: "/home/me/shop/web" }, "ready"],
    [{ files: trusts("/home/me") }, "unknown"],
    [{ files: trusts("/srv"), workdir: "/srv/plain" }, "ready"],
    [{ files: trusts("/home/me/shop", false) }, "missing"],
    [{
      files: { ...trusts("/home/me/shop"), "/srv/tree/.git": "gitdir: /home/me/shop/.git/worktrees/tree" },
      workdir: "/srv/tree",
    }, "unknown"],
    [{ files: state({ projects: { "/home/me/shop": { trusted: true } } }) }, "unknown"],
    [{ files: { "/home/me/.claude.json": "{" } }, "unknown"],
    [{ env: { CLAUDE_CODE_SANDBOXED: "1" } }, "ready"],
    [{ asksPerson: false }, "ready"],
  ];
  for (const [look, word] of folders) {
    assertEquals((await claudeSetup.findTrust(lookAt(look))).state, word, JSON.stringify(look));
  }
  const env = { ANTHROPIC_API_KEY: KEY };
  const answered = (list: string) => state({ customApiKeyResponses: { [list]: [KEY.slice(-20)] } });
  const keys: readonly (readonly [Partial<Parameters<typeof lookAt>[0]>, string | undefined])[] = [
    [{}, undefined],
    [{ env }, "missing"],
    [{ env, files: answered("approved") }, "ready"],
    [{ env, files: answered("rejected") }, "unknown"],
    [{ env, files: state({ oauthAccount: {} }) }, "unknown"],
    [{ env: { ...env, CLAUDE_CODE_USE_BEDROCK: "1" } }, "unknown"],
    [{ env, asksPerson: false }, "ready"],
    [{ env: { CLAUDE_CODE_OAUTH_TOKEN: "x" } }, "ready"],
    [{ files: { "/home/me/.claude/.credentials.json": '{ "claudeAiOauth": { "accessToken": "x" } }' } }, "ready"],
    [{ files: { "/home/me/.claude/.credentials.json": '{ "claudeAiOauth": {} }' } }, undefined],
  ];
  for (const [look, word] of keys) {
    assertEquals(claudeSetup.findLogin?.(lookAt(look))?.state, word, JSON.stringify(look));
  }
});

Deno.test("a login of Claude Code may be in settings that its login status does not go by", async () => {
  const settings = (name: string, text: string) => ({ files: { [`/home/me/shop/.claude/${name}`]: text } });
  const rows: readonly (readonly [Partial<Parameters<typeof lookAt>[0]>, string])[] = [
    [{}, "missing"],
    [settings("settings.json", '{ "env": { "ANTHROPIC_AUTH_TOKEN": "x" } }'), "unknown"],
    [settings("settings.local.json", '{ "apiKeyHelper": "./key" }'), "unknown"],
    [settings("settings.json", '{ "model": "opus" }'), "missing"],
    [{ args: ["--settings", "mine.json"] }, "unknown"],
    [{ env: { ANTHROPIC_API_KEY: KEY } }, "missing"],
  ];
  for (const [look, word] of rows) {
    assertEquals((await claudeSetup.judgeLogin(LOGGED_OUT, lookAt(look))).state, word, JSON.stringify(look));
  }
});
