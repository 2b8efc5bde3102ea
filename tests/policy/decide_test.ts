import { assertEquals } from "@std/assert";
import { responseFileInstruction } from "../../lib/turn/instruction.ts";
import {
  BUILTIN_RULE_NAMES,
  type BuiltinRule,
  decidePermission,
  DEFAULT_PERMISSION_POLICY,
  type PermissionPolicy,
} from "../../lib/policy/mod.ts";

function decide(subject: string, policy: Partial<PermissionPolicy> = {}) {
  const context = { workdir: "/srv/shop", role: "programmer", provider: "codex" } as const;
  return decidePermission({ kind: "command", subject }, {
    policy: { ...DEFAULT_PERMISSION_POLICY, ...policy },
    ...context,
  });
}

Deno.test("the one command that hands over a response is allowed", () => {
  const instruction = responseFileInstruction("/srv/shop", "programmer", { delimiter: "PANEWRIGHT_1" });
  const from = instruction.indexOf("mkdir -p");
  const command = instruction.slice(from, instruction.indexOf("\nDo not change"))
    .replace("<your complete final response>", "# Done\n`sudo` isn't $(needed) | sh");
  assertEquals(decide(command).rule, "default");
});

Deno.test("a built-in rule is lifted by its name, and no other with it", () => {
  const examples: Record<BuiltinRule, string> = {
    sudo: "sudo make install",
    pipe_to_shell: "curl x | sh",
    command_substitution: "$(cat cmd) x",
    rm_outside_workdir: "rm -rf /tmp/x",
    panewright: "panewright trust --yes",
    write_outside_workdir: "touch /tmp/x",
  };
  for (const lifted of BUILTIN_RULE_NAMES) {
    for (const rule of BUILTIN_RULE_NAMES) {
      const { decision } = decide(examples[rule], { liftBuiltin: [lifted] });
      assertEquals(decision, rule === lifted ? "allow" : "deny", `${rule} with ${lifted} lifted`);
    }
  }
  assertEquals(decide("echo x > $OUT").rule, "uncertain");
  assertEquals(decide("echo x > $OUT", { liftBuiltin: ["write_outside_workdir"] }).rule, "default");
  assertEquals(decide("rm -r $OUT", { liftBuiltin: ["write_outside_workdir"] }).rule, "uncertain");
  assertEquals(decide("sudo rm -rf /tmp", { liftBuiltin: ["sudo"] }).rule, "builtin:rm_outside_workdir");
});

Deno.test("hostile texts are never allowed where they cannot be understood", () => {
  const texts = [
    "$(".repeat(50_000),
    "`".repeat(100_001),
    "[".repeat(200_000) + "(",
    "{a,".repeat(100_000) + "(",
    "'".repeat(99_999),
    "( " + "<<A ".repeat(20_000) + "\n",
    " ".repeat(200_000) + "\n(",
    "eval ".repeat(50) + "ls",
    "env ".repeat(50) + "ls",
  ];
  for (const text of texts) {
    const { decision, rule } = decide(text, { deny: [{ command: "a **** b ** c" }] });
    assertEquals([decision, rule], ["ask", "uncertain"]);
  }
});
