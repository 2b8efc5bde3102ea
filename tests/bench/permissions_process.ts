/**
 * Measures how many commands a second `panewright permissions test --json --null` decides, over the whole process: at
 * least 5,000. The commands are the rows of `fixtures/permissions` in turn, under the offered allow list, in a folder
 * of its own. CPU seconds are those of the process: they tell more than the clock where a machine is busy.
 *
 * `deno run -P=tests tests/bench/permissions_process.ts [COMMANDS]`
 */
import { EVERYDAY_LIST } from "../../lib/config/allow_list.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { tableRows } from "../support/permission_table.ts";
import { tempDir } from "../support/temp_dir.ts";

const BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;
const RUNS = 5;

/** Runs the rest of its words on the file that the first names, and prints what that took in CPU time. */
const TIMED = 'file=$1; shift; "$@" < "$file" > answers && times';

if (import.meta.main) {
  const commands = Number(Deno.args[0] ?? 20_000);
  await using folder = await tempDir();
  const rows = [...tableRows("everyday"), ...tableRows("hostile")].filter(({ kind, subject }) =>
    kind === "command" && !subject.includes("\0")
  );
  const subjects = Array.from({ length: commands }, (_, index) => rows[index % rows.length]?.subject ?? "");
  const allow = EVERYDAY_LIST.flatMap(({ rules }) => rules);
  const config = JSON.stringify({ permissions: { default: "ask", allow, writable: ["/tmp"] } });
  await folder.write({ "subjects": subjects.join("\0"), "policy.jsonc": config });
  const permissions = [Deno.execPath(), "run", "--quiet", "--allow-all", BUNDLE, "permissions", "test"];
  const words = ["-c", TIMED, "sh", "subjects", ...permissions, "--json", "--null", "--config", "policy.jsonc"];
  const rates: { readonly clock: number; readonly cpu: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    const { code, stdout, stderr } = await systemProcessRunner.run({ argv: ["sh", ...words], cwd: folder.path });
    const seconds = (performance.now() - startMs) / 1000;
    if (code !== 0) throw new Error(stderr);
    // The second line is of the processes that the shell has run: user and system time, as 0m1.5s.
    const cpu = [...(stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)]
      .reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
    rates.push({ clock: commands / seconds, cpu: commands / cpu });
  }
  const answers = (await Deno.readTextFile(`${folder.path}/answers`)).trimEnd().split("\n").length;
  if (answers !== commands) throw new Error(`${answers} answers to ${commands} commands`);
  const median = (values: readonly number[]) =>
    Math.round(values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0).toLocaleString("en");
  const text = `${commands.toLocaleString("en")} commands, ${RUNS} runs: ${
    median(rates.map(({ clock }) => clock))
  } a ` +
    `second by the clock, ${median(rates.map(({ cpu }) => cpu))} a CPU second (medians)\n`;
  await Deno.stdout.write(new TextEncoder().encode(text));
}
