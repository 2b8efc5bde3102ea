import { assertEquals } from "@std/assert";
import { renderFinding } from "../../../lib/cli/show/render_finding.ts";

Deno.test("a finding is a line, its remedy below it, without control characters", () => {
  const finding = { check: "tmux", status: "fail", detail: "a\x1b[2J", remedy: "Do this.\nOr that." } as const;
  assertEquals(renderFinding(finding), "fail  tmux: a\\x1b[2J\n      Do this.\n      Or that.\n");
});

Deno.test("a finding is broken at words where the terminal is narrow", () => {
  const finding = {
    check: "Claude Code",
    status: "warn",
    detail:
      "2.1.330 (Claude Code); whether it is logged in, it does not tell\n    a part that is indented keeps its margin",
    remedy: "Start it in this folder once, and log in.",
  } as const;
  assertEquals(
    renderFinding(finding, { width: 42 }),
    [
      "warn  Claude Code: 2.1.330 (Claude Code);",
      "      whether it is logged in, it does not",
      "      tell",
      "          a part that is indented keeps",
      "          its margin",
      "      Start it in this folder once, and",
      "      log in.",
      "",
    ].join("\n"),
  );
});

Deno.test("a command in a finding is not broken, so that it can be copied", () => {
  const remedy = 'Log in once with: codex-acp cli login, or set CODEX_API_KEY. Then run "panewright doctor" again.';
  assertEquals(
    renderFinding({ check: "x", status: "fail", detail: "y", remedy }, { width: 42 }),
    [
      "fail  x: y",
      "      Log in once with:",
      "      codex-acp cli login, or set",
      "      CODEX_API_KEY. Then run",
      '      "panewright doctor" again.',
      "",
    ].join("\n"),
  );
});
