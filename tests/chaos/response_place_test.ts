import { assertEquals } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { createSandbox } from "../support/sandbox.ts";
import { otherMount, whyOnlyOneMount } from "./response_place.ts";

const reason = await whyOnlyOneMount();

/** Moves a file as panewright does, and says what came of it. */
const PROGRAM = `
  try {
    Deno.renameSync(Deno.args[0], Deno.args[1]);
    console.log("moved");
  } catch (error) {
    console.log(error.code);
  }
`;

Deno.test({
  name: `on another mount nothing can be moved to the run's folder by a rename${
    reason === undefined ? "" : ` (${reason})`
  }`,
  ignore: reason !== undefined,
  async fn() {
    await using sandbox = await createSandbox();
    const { root, project } = sandbox;
    const { responsesDir, through } = await otherMount(sandbox);
    await Deno.mkdir(responsesDir);
    await Deno.writeTextFile(`${responsesDir}/a.md`, "text");
    await Deno.writeTextFile(`${root}/move.ts`, PROGRAM);
    const [first, ...more] = [...through, Deno.execPath(), "run", "--quiet", "--allow-all", `${root}/move.ts`];
    const { stdout } = await systemProcessRunner.run({
      argv: [first!, ...more, `${project}/.tmp/agent-responses/a.md`, `${project}/a.md`],
    });
    assertEquals(stdout, "EXDEV\n");
    assertEquals(await Deno.readTextFile(`${responsesDir}/a.md`), "text");
  },
});
