import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";

/** A path of the job, absolute: no link leads out of the checkout. */
export function inside(
  path: string,
  { checkout, workdir }: { readonly checkout: string; readonly workdir: string },
): string {
  const whole = resolve(workdir, path);
  const real = realPathOf(whole);
  const root = Deno.realPathSync(checkout);
  if (real === root || real.startsWith(`${root}/`)) return whole;
  throw new UsageError(`Cannot work on a job with "${path}": it is outside of its repository`);
}

/** Of what is not there, the path that it would have. */
function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const at = path.lastIndexOf("/");
    return at <= 0 ? path : `${realPathOf(path.slice(0, at))}${path.slice(at)}`;
  }
}
