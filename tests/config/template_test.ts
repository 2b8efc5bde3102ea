import { assertEquals } from "@std/assert";
import { configFormFor } from "../../lib/config/schema.ts";
import { parseJsonc } from "../../lib/config/jsonc.ts";
import { EVERYDAY_LIST } from "../../lib/config/allow_list.ts";
import { PERMISSION_OFFERS } from "../../lib/config/permission_offers.ts";
import { shortTemplate } from "../../lib/config/short_template.ts";
import { fullTemplate, type TemplateValues } from "../../lib/config/template.ts";
import { OFFERED_PROVIDER_IDS, PROVIDER_IDS } from "../../lib/agents/mod.ts";

const CONFIG = configFormFor(PROVIDER_IDS);

const LOOP = {
  $schema: "s.json",
  provider: "codex",
  prompt_file: "job.md",
  project_test_cmd: ["npm", "test"],
  permissions: "allow-list",
} as const satisfies TemplateValues;

Deno.test("a written config says only what was chosen, and is valid, in short and in full", () => {
  const allow = EVERYDAY_LIST.flatMap(({ rules }) => rules);
  const sandbox = { sandbox: "auto", permissions: { auto_accept: true, default: "allow" } };
  const settings = {
    "allow-list": {
      short: { permissions: { auto_accept: true, default: "ask", allow_everyday: true } },
      full: { permissions: { auto_accept: true, default: "ask", allow } },
    },
    sandbox: { short: sandbox, full: sandbox },
  };
  const check = { type: "shell", command: 'test -f "a"' };
  const pipelines = { main: [{ name: "work", prompt: "self", args: ["-s", "x"], check, retry: 2 }] };
  for (const permissions of PERMISSION_OFFERS) {
    for (const provider of OFFERED_PROVIDER_IDS) {
      const { prompt_file: _, project_test_cmd: __, ...common } = { ...LOOP, provider, permissions };
      for (const [size, template] of [["short", shortTemplate], ["full", fullTemplate]] as const) {
        const expectText = (values: TemplateValues, said: Readonly<Record<string, unknown>>) => {
          const { value, syntaxError } = parseJsonc(template(values));
          assertEquals(syntaxError, undefined);
          const expected = { $schema: "s.json", provider, ...said, ...settings[permissions][size] };
          assertEquals(CONFIG.schemaFor().parse(value), CONFIG.schemaFor().parse(expected));
        };
        const job = { prompt_file: "job.md", project_test_cmd: ["npm", "test"] };
        expectText({ ...common, ...job }, job);
        expectText({ ...common, prompt_file: "job.md" }, { prompt_file: "job.md" });
        expectText({ ...common, step: { check: check.command, args: ["-s", "x"] } }, { pipelines });
        const unchecked = { main: [{ name: "work", prompt: "self", check: { type: "none" } }] };
        expectText({ ...common, step: { check: undefined, args: [] } }, { pipelines: unchecked });
      }
    }
  }
});

Deno.test("the hosts that a project installs from are let through by a sandbox, and are no matter of an allow list", () => {
  const hosts = ["a.example.org", "b.example.org"];
  for (const template of [shortTemplate, fullTemplate]) {
    const networkOf = (permissions: TemplateValues["permissions"]) => {
      const { value } = parseJsonc(template({ ...LOOP, permissions, hosts }));
      return (value as { readonly sandbox_network?: unknown }).sandbox_network;
    };
    assertEquals([networkOf("sandbox"), networkOf("allow-list")], [hosts, undefined]);
  }
});

Deno.test("the short config of a review loop has about ten lines", () => {
  for (const permissions of PERMISSION_OFFERS) {
    const lines = shortTemplate({ ...LOOP, permissions }).trimEnd().split("\n");
    assertEquals(lines.length <= 11 && lines.every((line) => line.length <= 120), true, lines.join("\n"));
  }
});

Deno.test("every line that is commented out may be switched on: it is valid, and defaults change nothing", () => {
  const template = fullTemplate(LOOP);
  const { value, syntaxError } = parseJsonc(template.replaceAll(/^( +)\/\/ (?=")/gm, "$1"));
  assertEquals(syntaxError, undefined);
  const { limits, condensation, handoff, permissions } = CONFIG.schemaFor().parse(value);
  const defaults = CONFIG.schemaFor().parse({});
  assertEquals(
    { limits, condensation, handoff, permissions },
    {
      // A cap has no default.
      limits: Object.assign({}, defaults.limits, {
        max_turns: 60,
        max_minutes: 480,
        max_tokens: 20_000_000,
        max_cost: 25,
      }),
      condensation: defaults.condensation,
      handoff: defaults.handoff,
      permissions: Object.assign({}, defaults.permissions, {
        auto_accept: true,
        // Without one, it depends on who is there.
        dialog_timeout_seconds: 3600,
        default: "ask",
        allow: EVERYDAY_LIST.flatMap(({ rules }) => rules),
      }),
    },
  );
});

Deno.test("the written config has every key of the schema", () => {
  const template = fullTemplate(LOOP);
  const left = Object.keys(CONFIG.schemaFor().shape).filter((key) =>
    !new RegExp(`^ +(?:// )?"${RegExp.escape(key)}":`, "m").test(template)
  );
  assertEquals(left, ["prompt"]);
});
