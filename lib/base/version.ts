import manifest from "../../deno.json" with { type: "json" };

/** The version of this program; `deno.json` is the one place where it stands. */
export const VERSION: string = manifest.version;
