import { assertEquals } from "@std/assert";
import { responseFileInstruction } from "../../../lib/turn/instruction.ts";
import { responsePathFor } from "../../../lib/turn/response_files.ts";
import { ROLES } from "../../../lib/base/roles.ts";
import { findResponseTarget } from "../../../lib/lab/replay/response_target.ts";

Deno.test("the response file is found in the instruction of every role, whatever characters the folder's name has", () => {
  for (const workdir of ["/job", '/with space/it\'s "quoted"/a\\b/$HOME & more', "/Ünïcode/界"]) {
    for (const role of ROLES) {
      const path = responsePathFor(workdir, role);
      const prompt = `Do it.\n\n${responseFileInstruction(workdir, role)}`;
      assertEquals(findResponseTarget(prompt)?.path, path);
    }
  }
});

Deno.test("the last instruction of a prompt counts, not one that is quoted before it", () => {
  const quoted = responseFileInstruction("/elsewhere", "analyst");
  const prompt = `The analyst was told:\n${quoted}\n\n${responseFileInstruction("/job", "tester")}`;
  assertEquals(findResponseTarget(prompt)?.path, responsePathFor("/job", "tester"));
});

Deno.test("a heredoc without a rename is written directly", () => {
  assertEquals(findResponseTarget("--- RESPONSE FILE INSTRUCTION ---\ncat > /job/out.md <<'EOF'\n"), {
    path: "/job/out.md",
    partialPath: undefined,
  });
});

Deno.test("a prompt without an instruction names no response file", () => {
  assertEquals(findResponseTarget("cat > /etc/passwd <<'EOF'"), undefined);
  assertEquals(findResponseTarget("--- RESPONSE FILE INSTRUCTION ---\ncat > relative.md <<'EOF'"), undefined);
});
