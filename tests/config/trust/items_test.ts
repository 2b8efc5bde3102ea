import { assertEquals } from "@std/assert";
import { SETTINGS } from "../../../lib/config/settings_table.ts";
import { packItems, trustItems } from "../../../lib/config/trust/items.ts";

function keysOf(data: Readonly<Record<string, unknown>>): readonly string[] {
  return trustItems(data).map(({ key, alone }) => alone ? `! ${key}` : key);
}

Deno.test("all that a config can have run, set or accepted is an item, the dangerous ones are asked about alone", () => {
  const agent = { command: ["./evil"], args: ["--search"], env: { LD_PRELOAD: "x.so", LANG: "C" }, model: "m" };
  assertEquals(
    keysOf({
      provider: "codex",
      providers: { codex: agent },
      roles: { tester: { args: ["-c", "notify=['sh']"], env: { PATH: "./bin" } } },
      project_test_cmd: ["npm", "test"],
      post_processing: { git_commit_message: "Done", openspec_change: "x" },
      notifications: {
        ntfy_topic: "me",
        buttons: "all",
        ntfy_token_file: "/k",
        command: ["./tell.sh"],
        delay_seconds: 9,
      },
      permissions: { auto_accept: true, allow: [], deny: ["rm"], lift_builtin: ["git_push"], default: "allow" },
      wd: "../other",
      tmux: { socket: "mine", cols: 100 },
      rules: { codex: [{ id: "a" }] },
      rules_file: "rules.jsonc",
      prompt_file: "job.md",
      limits: { max_rounds: 2 },
      exec: { default_answer: "yes", writes_outside: "warn" },
      pipelines: {
        main: [
          { name: "a", prompt: "a.md", command: ["sh"], check: { type: "shell", command: "make" }, env: { X: "1" } },
          { name: "b", prompt: "self", check: [{ type: "none" }, { type: "shell", command: ["make"] }] },
        ],
      },
    }),
    [
      "! providers.codex.command",
      "providers.codex.args",
      "! providers.codex.env.LD_PRELOAD",
      "providers.codex.env.LANG",
      "! roles.tester.args",
      "! roles.tester.env.PATH",
      "project_test_cmd",
      "post_processing.git_commit_message",
      "post_processing.openspec_change",
      "notifications.ntfy_topic",
      "! notifications.buttons",
      "! notifications.ntfy_token_file",
      "notifications.command",
      "! permissions.auto_accept",
      "! permissions.lift_builtin[0]",
      "! permissions.default",
      "! wd",
      "tmux.socket",
      "rules.codex",
      "rules_file",
      "prompt_file",
      "exec.default_answer",
      "exec.writes_outside",
      "pipelines.main[0].prompt",
      "! pipelines.main[0].command",
      "pipelines.main[0].check.command",
      "pipelines.main[0].env.X",
      "pipelines.main[1].check[1].command",
    ],
  );
});

Deno.test("what has an agent ask less, or ask elsewhere, is asked about alone, of each agent", () => {
  for (
    const [name, value] of [
      ["OPENCODE_PERMISSION", '{"bash":"allow"}'],
      ["COPILOT_ALLOW_ALL", "true"],
      ["GEMINI_CLI_TRUST_WORKSPACE", "true"],
      ["QWEN_HOME", "./home"],
      ["INITIAL_AGENT_MODE", "agent-full-access"],
      ["OPENAI_BASE_URL", "http://elsewhere"],
    ] as const
  ) {
    const env = { [name]: value, LANG: "C" };
    assertEquals(keysOf({ providers: { gemini: { env } } }), [
      `! providers.gemini.env.${name}`,
      "providers.gemini.env.LANG",
    ]);
    const ofPack = packItems("mine", { label: "Mine", env });
    assertEquals(ofPack.map(({ alone }) => alone), [true, false], name);
  }
  for (
    const args of [
      ["-y"],
      ["--allow-all-tools"],
      ["--skip-trust"],
      ["--auto"],
      ["--policy", "p.toml"],
      ["--include-directories", "/"],
      ["-e", "x"],
    ]
  ) {
    assertEquals(keysOf({ roles: { tester: { args } } }), ["! roles.tester.args"], args.join(" "));
    assertEquals(packItems("mine", { label: "Mine", args }).map(({ alone }) => alone), [true], args.join(" "));
  }
  assertEquals(packItems("mine", { label: "Mine", args: ["--acp"] }).map(({ alone }) => alone), [false]);
});

Deno.test("a name that a config chooses cannot make a program pass for something else", () => {
  const step = { name: "a", prompt: "self", command: ["./evil"], check: { type: "none" } };
  for (const name of ["check", "x.check", "limits", "env", "model", "pipelines.main[0].model"]) {
    assertEquals(keysOf({ pipelines: { [name]: [step] } }), [`! pipelines.${name}[0].command`], name);
  }
  assertEquals(keysOf({ providers: { codex: { env: { model: "a", command: "b" } } } }), [
    "providers.codex.env.model",
    "providers.codex.env.command",
  ]);
});

Deno.test("automatic acceptance is asked about alone where no list bounds it, and so is an entry that names nothing", () => {
  assertEquals(keysOf({ permissions: { auto_accept: true } }), ["! permissions.auto_accept"]);
  assertEquals(keysOf({ permissions: { auto_accept: true, allow: ["npm test"] } }), [
    "permissions.auto_accept",
    "permissions.allow[0]",
  ]);
  assertEquals(keysOf({ permissions: { auto_accept: true, default: "ask" } }), ["permissions.auto_accept"]);
  assertEquals(keysOf({ permissions: { auto_accept: true, default: "allow", allow: ["npm test"] } }), [
    "! permissions.auto_accept",
    "! permissions.default",
    "permissions.allow[0]",
  ]);
  assertEquals(keysOf({ permissions: { allow: ["**", { path: "**" }, { kinds: ["command"] }, { command: "ls" }] } }), [
    "! permissions.allow[0]",
    "! permissions.allow[1]",
    "! permissions.allow[2]",
    "permissions.allow[3]",
  ]);
});

Deno.test("a value that gives nothing away is no item, where another value of the same setting is one", () => {
  const values: readonly (readonly [key: string, harmless: readonly unknown[], other: unknown])[] = [
    ["notifications.buttons", ["none"], "all"],
    ["permissions.auto_accept", [false], true],
    ["permissions.default", ["ask", "deny"], "allow"],
    ["permissions.allow_everyday", [false], true],
    ["permissions.model_answers", ["none", "questions"], "all"],
    ["permissions.answers_from", ["person"], "any"],
    ["permissions.hook_trial", ["required"], "off"],
    ["wd", ["."], "sub"],
    ["sandbox", ["cli", "commands", "agent", "auto"], "off"],
    ["evidence.clean_room", [true], false],
    ["evidence.canaries", [true], false],
    ["fallback", [["codex"], [{ provider: "codex" }]], [{ provider: "codex", login: "/a" }]],
    ["exec.writes_outside", ["fail"], "warn"],
  ];
  for (const [key, harmless, other] of values) {
    const items = (value: unknown) => keysOf(nested(key.split("."), value)).length;
    assertEquals([...harmless.map(items), items(other)], [...harmless.map(() => 0), 1], key);
  }
});

/** Settings that do nothing but bound, delay or name; every other one must be shown. */
const LEFT_OUT =
  /^(?:\$schema|provider|start_agent|loop|autonomy_level|default_pipeline|cleanup_on_exit|(?:startup_timeout|quiet|project_test_timeout)_seconds|(?:limits|condensation|handoff)\..*|notifications\.delay_seconds|exec\.(?!default_answer|writes_outside).*|tmux\.(?:cols|rows)|isolation|workspace\.(?:setup_.*|max_disk)|evidence\.(?!(?:clean_room|canaries|hidden_cmd|mutation_cmd|tests|sign)$).*|permissions\.(?:deny|ask|dry_run|dialog_timeout_seconds|accept_.*))$/;

Deno.test("a setting is shown unless it is known to do nothing", () => {
  for (const { key, value, example } of SETTINGS) {
    if (LEFT_OUT.test(key)) continue;
    const shown = keysOf(nested(key.split("."), valueOf(key, value, example)));
    assertEquals(shown.length > 0, true, `${key} is not shown`);
  }
});

function nested([first = "", ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

function valueOf(key: string, value: { readonly kind: string }, example: unknown): unknown {
  if (key === "roles") return { tester: { profile: "x" } };
  if (key === "wd") return "elsewhere";
  if (key === "evidence.clean_room" || key === "evidence.canaries") return false;
  if (key === "sandbox") return "off";
  if (key === "exec.writes_outside") return "warn";
  if (key === "permissions.allow" || key === "permissions.lift_builtin") return ["x"];
  if (key === "permissions.default") return "allow";
  if (key === "permissions.model_answers") return "all";
  if (key === "permissions.answers_from") return "any";
  if (key === "permissions.hook_trial") return "off";
  return example ?? (value.kind === "switch" ? true : "x");
}
