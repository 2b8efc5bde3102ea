import { assertEquals } from "@std/assert";
import { findAskingProcesses } from "../../../lib/agents/process/asking_processes.ts";
import { tempDir } from "../../support/temp_dir.ts";

const mark = { name: "PANEWRIGHT_ATTEMPT", value: "ours" };

for (
  const [whose, env, isChild, expected] of [
    ["the attempt's own", { PANEWRIGHT_ATTEMPT: "ours" }, true, ["A or\nB?"]],
    ["one whose environment was cleared", {}, true, ["A or\nB?"]],
    ["that of another step, which the agent runs itself", { PANEWRIGHT_ATTEMPT: "theirs" }, true, []],
    ["that of a process which is not the attempt's", {}, false, []],
  ] as const
) {
  Deno.test(`a process that asks: ${whose} is ${expected.length === 0 ? "not taken" : "taken"}`, async () => {
    await using dir = await tempDir();
    const program = `${dir.path}/panewright`;
    await Deno.writeTextFile(program, "#!/bin/sh\necho up\nread -r line\n", { mode: 0o755 });
    const child = new Deno.Command(program, {
      args: ["ask", "A or\nB?"],
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const output = child.stdout.getReader();
    assertEquals(new TextDecoder().decode((await output.read()).value), "up\n");
    try {
      const look = (listed: readonly number[]) =>
        findAskingProcesses({
          commands: [["panewright", "ask"]],
          self: ["/opt/panewright"],
          mark,
          listPids: () => Promise.resolve(listed),
        });
      const found = await look(isChild ? [child.pid] : []);
      assertEquals(found.map(({ question }) => question), [...expected]);
    } finally {
      await child.stdin.close();
      await output.cancel();
      await child.status;
    }
  });
}
