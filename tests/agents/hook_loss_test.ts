import { assertEquals } from "@std/assert";
import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";

Deno.test("an argument that takes our hooks away is found, however it is written", () => {
  const lossOf = {
    codex: codexProvider.capabilities.findHookLoss,
    claude: claudeCodeProvider.capabilities.findHookLoss,
  };
  const found: Record<keyof typeof lossOf, readonly (readonly [args: string, loss: string | undefined])[]> = {
    codex: [
      ["--disable hooks", "--disable"],
      ["--disable=hooks", "--disable=hooks"],
      ["--disable codex_hooks", "--disable"],
      ["-c features.hooks=false", "-c"],
      ["-cfeatures.hooks=false", "-cfeatures.hooks=false"],
      ["-c=features.codex_hooks=false", "-c=features.codex_hooks=false"],
      ["--config features={hooks=false}", "--config"],
      [`--config="features"."hooks"=false`, `--config="features"."hooks"=false`],
      ["-c hooks.PreToolUse=[]", "-c"],
      ["-c hooks={}", "-c"],
      ["-c hooks.state={}", "-c"],
      ["--enable non_prefixed_mcp_tool_names", "--enable"],
      ["--dangerously-bypass-hook-trust", "--dangerously-bypass-hook-trust"],
      ["-c model_reasoning_effort=high --enable goals --disable plugins -c features.plugins=false", undefined],
      ["--sandbox workspace-write -C x --color never", undefined],
    ],
    claude: [
      ["--settings mine.json", "--settings"],
      ["--settings=mine.json", "--settings=mine.json"],
      ["--model opus --bare", "--bare"],
      ["--safe-mode", "--safe-mode"],
      ["--managed-settings {}", "--managed-settings"],
      ["--setting-sources user --allowedTools Bash --mcp-config x", undefined],
    ],
  };
  for (const provider of ["codex", "claude"] as const) {
    for (const [args, loss] of found[provider]) assertEquals(lossOf[provider]?.(args.split(" ")), loss, args);
  }
});
