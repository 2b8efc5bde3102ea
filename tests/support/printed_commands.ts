import { assert } from "@std/assert";
import { runProgram } from "./program.ts";

const PRINTED = (verbs: string) =>
  // What an agent has run is told as it was.
  new RegExp(`(?:^|(?<!command|\\$)[\\s:])(?:panewright|deno run -A \\S+) ((?:${verbs})(?: .*)?)$`, "gm");

/** A command at the end of a line that only looks: it can be carried out wherever it is printed. */
const LOOKS = PRINTED("show|diff|status|logs|questions|report|workspaces|validate|evidence|audit|permissions|runs");

/** One that changes something: it is carried out where what it changes is gone afterwards. */
const ACTS = PRINTED("apply|discard|reply|resume|answer|stop|trust|undo|fork|clean");

/** Words of a sentence, a place for what the person puts there, or a command that stays. */
const NO_COMMAND = /[|]|[^"]…|…[^"]|--(?:follow|watch)\b|\bNAME\b|[.,;]$| (?:is|and|or|to|has|shows|lists) /;

/** Where a person's own words are put; a number is one of the choices, where there are any. */
const PLACE = /"(?:…|YOUR ANSWER|yes, or no and why)"/;

/** What was asked before may be asked again. */
const GOES_ON = /^(?:resume|reply)\b/;

/** An agent of the run has changed its checks, which a person has to see: the refusal says how to go on. */
const CHANGED = /^panewright: Cannot resume run \S+: what it is bound to has changed/m;

/** Mounts over the temporary files what takes all changes to them, and is gone with the namespace. */
const APART = `mount -t tmpfs none "$0" && mkdir "$0/up" "$0/work" && \
mount -t overlay none -o "userxattr,lowerdir=/tmp,upperdir=$0/up,workdir=$0/work" /tmp && cd "$PWD" && exec "$@"`;

/** Ends with a program, or well when that has come so far that an agent is at work. */
const UNTIL_AT_WORK = `"$@" & program=$!
while kill -0 $program 2>/dev/null; do
  found=$(grep -lzsE '(^|/)(codex|claude)$' /proc/[0-9]*/cmdline) &&
    [ -n "$(grep -LzxsE -e '--version|--help|login|status' $found)" ] && exit 0
  sleep 0.3
done
wait $program`;

const NAMESPACE = [
  "unshare",
  "--user",
  "--map-root-user",
  "--mount",
  "--net",
  "--pid",
  "--fork",
  "--mount-proc",
] as const;

/** Has a program run with nothing but the temporary files to change, and those in a copy; nobody is reached. */
async function apart(folder: string, argv: readonly string[], place: Omit<Place, "argv">) {
  return await runProgram(
    [...NAMESPACE, "--kill-child", "sh", "-c", APART, folder, "sh", "-c", UNTIL_AT_WORK, "sh", ...argv],
    { ...place, timeoutMs: 120_000 },
  );
}

/** Why what changes something cannot be carried out here; `undefined` where it can. */
export async function whyNotApart(): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "panewright-printed-" });
  await using _removed = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
  await Deno.mkdir(`${folder}/apart`);
  await Deno.mkdir(`${folder}/below/there`, { recursive: true });
  const place = { cwd: folder, env: { PATH: Deno.env.get("PATH") ?? "" } };
  const tried = await apart(`${folder}/apart`, ["rm", "-r", "below"], place)
    .catch((error) => ({ code: 1, stderr: String(error) }));
  return tried.code === 0 ? undefined : tried.stderr.trim();
}

interface Place {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What was carried out for any project of this process. */
const acted = new Set<string>();

/** What printed it: a command, or a task. */
function kindOf(what: string): string {
  const [first = ""] = what.split(" ");
  return /^[a-z-]+$/.test(first) ? first : "task";
}

/** Has a shell carry out what a program has printed, where it was printed: each form of it once. */
export function createPrintedCommands({ argv, cwd, env }: Place) {
  const seen = new Set<string>();
  const isApart = whyNotApart().then((why) => why === undefined && cwd.startsWith("/tmp/"));
  const newIn = (output: string, pattern: RegExp, of: string) =>
    [...output.matchAll(pattern)].flatMap(([, command = ""]) => {
      const form = command.replaceAll(/[0-9a-f-]{6,}|\/\S+/g, "…");
      // Whose run it is makes no difference to what changes something, which takes longest.
      const act = `${of} ${form.replace(/ (?!-)\S+/, "")}`;
      const isSeen = pattern === ACTS ? acted.has(act) : seen.has(form);
      if (NO_COMMAND.test(command) || isSeen) return [];
      if (pattern === ACTS) acted.add(act);
      else seen.add(form);
      return [command.replace(PLACE, '"1"')];
    });
  return {
    async carryOut(what: string, { stderr, stdout }: { readonly stdout: string; readonly stderr: string }) {
      const output = `${stdout}\n${stderr}`;
      const [looks, acts] = [newIn(output, LOOKS, what), await isApart ? newIn(output, ACTS, kindOf(what)) : []];
      for (const command of [...looks, ...acts]) {
        const folder = await Deno.makeTempDir({ prefix: "panewright-printed-" });
        await using _removed = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
        const script = `#!/bin/sh\nexec ${argv.map((word) => `'${word}'`).join(" ")} "$@"\n`;
        await Deno.mkdir(`${folder}/bin`);
        await Deno.mkdir(`${folder}/apart`);
        await Deno.writeTextFile(`${folder}/bin/panewright`, script, { mode: 0o755 });
        const place = { cwd, env: { ...env, PATH: `${folder}/bin:${env["PATH"]}` } };
        const typed = ["sh", "-c", `panewright ${command}`] as const;
        const told = looks.includes(command)
          ? await runProgram(typed, { ...place, timeoutMs: 60_000 })
          : await apart(`${folder}/apart`, typed, place);
        const isAsked = (told.code === 3 || CHANGED.test(told.stderr)) && GOES_ON.test(command);
        assert(told.code === 0 || isAsked, `${what} printed "panewright ${command}", which fails: ${told.stderr}`);
      }
    },
  };
}
