import { assertEquals } from "@std/assert";
import { configFormFor } from "../../lib/config/schema.ts";
import { parseJsonc } from "../../lib/config/jsonc.ts";
import { OFFERED_ALLOW_LIST } from "../../lib/config/allow_list.ts";
import { PERMISSION_OFFERS } from "../../lib/config/permission_offers.ts";
import { configTemplate } from "../../lib/config/template.ts";
import { PROVIDER_IDS } from "../../lib/providers/mod.ts";

const CONFIG = configFormFor(PROVIDER_IDS);

Deno.test("the written config says only what was chosen, and is valid", () => {
  const allow = OFFERED_ALLOW_LIST.flatMap(({ rules }) => rules);
  const offers = {
    "allow-list": { permissions: { auto_accept: true, default: "ask", allow } },
    sandbox: { sandbox: "cli", permissions: { auto_accept: true, default: "allow" } },
  };
  for (const permissions of PERMISSION_OFFERS) {
    for (const provider of PROVIDER_IDS) {
      const values = { provider, wd: ".", prompt_file: "job.md" };
      const text = configTemplate({ ...values, permissions });
      const { value, syntaxError } = parseJsonc(text);
      assertEquals(syntaxError, undefined);
      assertEquals(CONFIG.schema.parse(value), CONFIG.schema.parse({ ...values, ...offers[permissions] }));
    }
  }
});

Deno.test("every line that is commented out may be switched on: it is valid, and defaults change nothing", () => {
  const template = configTemplate({ provider: "codex", wd: ".", prompt_file: "job.md", permissions: "allow-list" });
  const { value, syntaxError } = parseJsonc(template.replaceAll(/^( +)\/\/ (?=")/gm, "$1"));
  assertEquals(syntaxError, undefined);
  const { limits, condensation, handoff, permissions } = CONFIG.schema.parse(value);
  const defaults = CONFIG.schema.parse({});
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
        default: "ask",
        allow: OFFERED_ALLOW_LIST.flatMap(({ rules }) => rules),
      }),
    },
  );
});

Deno.test("the written config has every key of the schema", () => {
  const template = configTemplate({ provider: "codex", wd: ".", prompt_file: "job.md", permissions: "allow-list" });
  const left = Object.keys(CONFIG.schema.shape).filter((key) =>
    !new RegExp(`^ +(?:// )?"${RegExp.escape(key)}":`, "m").test(template)
  );
  assertEquals(left, ["$schema", "prompt"]);
});
