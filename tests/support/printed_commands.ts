import { assertEquals } from "@std/assert";
import { runProgram } from "./program.ts";

/** A command at the end of a line that only looks: it can be carried out wherever it is printed. */
const LOOKS =
  /(?:^|[\s:])(?:panewright|deno run -A \S+) ((?:show|diff|status|logs|questions|report|workspaces|validate|evidence|audit|permissions|runs)\b.*)$/gm;

/** Words of a sentence, a place for what the person puts there, or a command that stays. */
const NO_COMMAND = /…|--(?:follow|watch)\b|\bNAME\b|[.,;]$| (?:is|and|or|to|has|shows|lists) /;

interface Place {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Has a shell carry out what a program has printed that only looks, where it was printed: each form of it once. */
export function createPrintedCommands({ argv, cwd, env }: Place) {
  const seen = new Set<string>();
  return {
    async carryOut(what: string, { stderr, stdout }: { readonly stdout: string; readonly stderr: string }) {
      const printed = [...`${stdout}\n${stderr}`.matchAll(LOOKS)].map(([, command = ""]) => command);
      for (const command of printed.filter((one) => !NO_COMMAND.test(one))) {
        const form = command.replaceAll(/[0-9a-f-]{6,}|\/\S+/g, "…");
        if (seen.has(form)) continue;
        seen.add(form);
        const folder = await Deno.makeTempDir({ prefix: "panewright-printed-" });
        await using _removed = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
        const script = `#!/bin/sh\nexec ${argv.map((word) => `'${word}'`).join(" ")} "$@"\n`;
        await Deno.writeTextFile(`${folder}/panewright`, script, { mode: 0o755 });
        const told = await runProgram(["sh", "-c", `panewright ${command}`], {
          ...{ cwd, env: { ...env, PATH: `${folder}:${env["PATH"]}` }, timeoutMs: 60_000 },
        });
        assertEquals(told.code, 0, `${what} printed "panewright ${command}", which fails: ${told.stderr}`);
      }
    },
  };
}
