import { assertEquals, assertMatch } from "@std/assert";
import { walk } from "@std/fs";
import { until } from "../support/until.ts";
import { dirty } from "./checkouts.ts";
import { cliProject } from "./cli_project.ts";

const TASK = "Fix the rounding of coupons";
const NAME = "fix-the-rounding-of-coupons";

/** The check of a fresh checkout says that it has begun, and takes a while. */
const MAKEFILE = `test:
\tgrep rounded fixed.txt
\tcase "$$PWD" in */${NAME}) ;; *) touch begun.txt; sleep 4;; esac
`;

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  Deno.test(`a run that ends by ${signal} while its result is tried elsewhere is resumed, and leaves no trial behind`, async () => {
    await using project = await cliProject({
      ...{ provider: "codex", isRepository: true, onPath: "itself", codex: { trusted: false } } as const,
      respond: () => [{ do: "shell", command: "echo rounded > fixed.txt" }, { do: "say", text: "Rounded." }],
      files: { Makefile: MAKEFILE },
      env: { PANEWRIGHT_TRUST: "0" },
    });
    const { home, project: folder } = project.sandbox;
    await dirty(folder);
    await using program = project.start(TASK, "--provider", "codex", "--trust");
    const begun = async () => {
      try {
        for await (const { name, path } of walk(home, { includeDirs: false })) if (name === "begun.txt") return path;
      } catch (error) {
        // Folders come and go while it is looked.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      return undefined;
    };
    await until(begun, (path) => path !== undefined, () => program.output.stderr);
    program.kill(signal);
    const { code } = await program.ended;
    assertEquals(code, signal === "SIGINT" ? 130 : 137);
    const resumed = await project.run("resume", NAME, "--trust");
    assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
    assertMatch(resumed.stdout, new RegExp(`^✓ PASS +${NAME} .*`));
    assertEquals(await begun(), undefined, "the workspace of a trial is left");
    await project.sandbox.assertNothingLeft();
  });
}
