import { basename, dirname } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { systemProcessRunner } from "../base/ports/process.ts";

/** Something that git obeys, and that nobody is known to have put there but a program in a sandbox. */
export interface Obeyed {
  readonly path: string;
  /** What of its text may stay. */
  readonly kept: string;
}

interface AsideOptions {
  /** Where it lies. */
  readonly folders: readonly string[];
  /** What of that is not touched. */
  readonly readOnly: readonly string[];
  readonly onRefusal: (what: string) => void;
}

/** Programs inside may make more meanwhile. */
const MOST_TIMES = 5;

const AT_A_TIME = 50;

/** The longest argument of a program is 128 KiB. */
const MOST_KEPT = 32 * 1024;

/**
 * Gives what is found a name beside it that git does not know; of settings, what may stay is written anew.
 *
 * @throws {RuntimeError} where something stays
 */
export async function setAside(
  find: () => Promise<readonly Obeyed[]>,
  { folders, readOnly, onRefusal }: AsideOptions,
): Promise<void> {
  // A folder on the way may be made a link meanwhile: it leads to nothing that can be written.
  const mounts = [
    ...["--ro-bind", "/", "/"],
    ...folders.flatMap((path) => ["--bind", path, path]),
    ...readOnly.flatMap((path) => ["--ro-bind-try", path, path]),
  ];
  for (let time = 1;; time++) {
    const found = await find();
    if (found.length === 0) return;
    if (time > MOST_TIMES) throw stays(found);
    for (let at = 0; at < found.length; at += AT_A_TIME) {
      const pairs = found.slice(at, at + AT_A_TIME)
        .flatMap(({ path, kept }) => [path, kept.length > MOST_KEPT ? "" : kept]);
      const { stdout } = await systemProcessRunner.run({
        argv: ["bwrap", ...mounts, "--die-with-parent", "--", "/bin/sh", "-c", SET_ASIDE, "sh", ...pairs],
      });
      for (const path of stdout.split("\0").filter((path) => path !== "")) {
        onRefusal(`have git obey ${path.slice(0, path.lastIndexOf(".refused"))}, now ${basename(path)}`);
      }
    }
  }
}

const SET_ASIDE = "while [ $# -gt 0 ]; do n=; " +
  'while [ -e "$1.refused$n" ] || [ -L "$1.refused$n" ]; do n=$((${n:-1} + 1)); done; ' +
  'if mv "$1" "$1.refused$n"; then printf "%s\\0" "$1.refused$n"; [ -z "$2" ] || printf %s "$2" >"$1"; fi; shift 2; done';

function stays(found: readonly Obeyed[]): RuntimeError {
  const path = found[0]?.path ?? "";
  const more = found.length === 1 ? "" : ` and ${found.length - 1} more`;
  return new RuntimeError(`Cannot keep git from obeying ${path}${more}: it comes again, or cannot be moved`, {
    hint: `A program in the sandbox has made it. Use no git below ${dirname(path)} before you have removed it.`,
  });
}
