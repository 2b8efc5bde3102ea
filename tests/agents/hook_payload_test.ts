import { assertEquals } from "@std/assert";
import { readHookPayload } from "../../lib/agents/hook_payload.ts";

const read = (fields: Readonly<Record<string, unknown>>) =>
  readHookPayload(JSON.stringify({ hook_event_name: "PermissionRequest", cwd: "/w", ...fields }), { id: "h1" });
const about = (tool: string, input: unknown) => {
  const request = read({ tool_name: tool, tool_input: input });
  return [request?.kind, request?.subject];
};

Deno.test("what a hook is told is the exact command, down to its last character", () => {
  for (
    const command of ["a\tb \n", "cat <<'E'\nx\nE \ncat <<'F'\nE\ngit push\nF", "echo \\\u200b''", "x".repeat(4200)]
  ) {
    assertEquals(about("Bash", { command, description: "It says" }), ["command", command]);
  }
});

Deno.test("the tools that change files name them", () => {
  assertEquals(about("Write", { file_path: "/w/a", content: "x" }), ["file_write", "/w/a"]);
  assertEquals(about("Edit", { file_path: "/w/a" }), ["file_edit", "/w/a"]);
  assertEquals(about("NotebookEdit", { notebook_path: "/w/a.ipynb" }), ["file_edit", "/w/a.ipynb"]);
  const patch = "*** Begin Patch\n*** Add File: a\n+*** Delete File: not me\n *** Delete File: b \n*** End Patch";
  assertEquals(about("apply_patch", { command: patch }), ["patch", "a\nb"]);
});

Deno.test("what is not understood is of no kind that a policy accepts by its words", () => {
  assertEquals(about("WebFetch", { url: "https://x" }), ["other", '{"url":"https://x"}']);
  assertEquals(about("Bash", { command: ["bash", "-c", "ls"] })[0], "other");
  assertEquals(about("Bash", {})[0], "other");
  assertEquals(about("Write", { file_path: "a\nb" })[0], "other");
  assertEquals(about("apply_patch", { command: "nothing" })[0], "other");
  assertEquals(about("constructor", { command: "ls" })[0], "other");
  assertEquals(about("Bash", { command: "curl x", description: "network-access https://x:443" })[0], "other");
  const twice = { questions: [{ question: "Which?", options: [{ label: "A" }] }, { question: "Which?" }] };
  assertEquals(about("AskUserQuestion", twice), ["question", JSON.stringify(twice)]);
  assertEquals(about("ExitPlanMode", { plan: "# Plan" }), ["plan", "# Plan"]);
});

Deno.test("before a call no word of an agent takes its command from the rules", () => {
  const call = { tool_name: "Bash", tool_input: { command: "git push", description: "network-access https://x:443" } };
  const request = readHookPayload(JSON.stringify({ hook_event_name: "PreToolUse", ...call }), {
    id: "h1",
    event: "PreToolUse",
  });
  assertEquals([request?.kind, request?.subject], ["command", "git push"]);
});

Deno.test("only a request for a permission counts", () => {
  assertEquals(read({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } }), undefined);
  assertEquals(read({ tool_input: { command: "ls" } }), undefined);
  for (const json of ["", "[]", "null", "{"]) assertEquals(readHookPayload(json, { id: "h1" }), undefined);
});
