import { assert, assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { reminderPrompt, responseFileInstruction } from "../../lib/turn/instruction.ts";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import { ROLES } from "../../lib/base/roles.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { tempDir } from "../support/temp_dir.ts";

const PLACEHOLDER = "<your complete final response>";

/** The one command of a block, with a response in place of the placeholder, as an agent fills it in. */
function commandOf(block: string, response: string): string {
  const lines = block.split("\n");
  const at = lines.indexOf(PLACEHOLDER);
  return [lines[at - 1], response, lines[at + 1]].join("\n") + "\n";
}

Deno.test("the block has header, absolute path, command, that it is mandatory, and a closing line", () => {
  for (const role of ROLES) {
    const lines = responseFileInstruction("/job", role, { delimiter: "END_1" }).split("\n");
    const path = responsePathFor("/job", role);
    assertEquals(lines[0], "--- RESPONSE FILE INSTRUCTION ---");
    assertStringIncludes(lines[1]!, "mandatory");
    assertEquals(lines[2], `Response file (absolute path): ${path}`);
    assertEquals(lines.slice(5, 8), [
      `mkdir -p '/job/.tmp/agent-responses' && cat > '${path}.partial' <<'END_1' && mv -f '${path}.partial' '${path}'`,
      PLACEHOLDER,
      "END_1",
    ]);
    assertEquals(lines.at(-1), "--- END OF RESPONSE FILE INSTRUCTION ---");
  }
});

for (const folder of ["plain", "with space", 'it\'s "quoted"', "$HOME `id` $(id) \\ * ; &"]) {
  Deno.test(`the command, run by a shell in a working directory named ${folder}, writes the response as it is`, async () => {
    await using parent = await tempDir();
    const workdir = `${parent.path}/${folder}`;
    const response = "# Résumé $HOME `id` $(id) \\n 'x' \"y\"\nEOF\nPANEWRIGHT_\n\nRESULT: PASS";
    const script = commandOf(responseFileInstruction(workdir, "tester"), response);
    const result = await systemProcessRunner.run({
      argv: ["sh", "-c", script],
      env: { PATH: "/usr/bin:/bin" },
      clearEnv: true,
    });
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(await Deno.readTextFile(responsePathFor(workdir, "tester")), `${response}\n`);
    const left = [...Deno.readDirSync(`${workdir}/.tmp/agent-responses`)].map(({ name }) => name);
    assertEquals(left, ["test_result.md"], "no partial file is left");
  });
}

Deno.test("every block has a delimiter of its own", () => {
  assertNotEquals(responseFileInstruction("/job", "tester"), responseFileInstruction("/job", "tester"));
});

Deno.test("a path with control characters is refused", () => {
  assertThrows(() => responseFileInstruction("/job\nrm -rf", "tester"), UsageError, "control characters");
});

Deno.test("a reminder names the problem and ends with the whole block", () => {
  const options = { delimiter: "END_1" };
  const reminder = reminderPrompt("/job", "analyst", options);
  assertStringIncludes(reminder, "because it is missing");
  assert(reminder.endsWith(responseFileInstruction("/job", "analyst", options)));
  assertStringIncludes(
    reminderPrompt("/job", "analyst", { problem: "it is not valid UTF-8" }),
    "it is not valid UTF-8",
  );
});
