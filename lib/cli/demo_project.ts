import { dirname } from "@std/path/posix";
import config from "../../fixtures/demo/config.json" with { type: "json" };
import files from "../../fixtures/demo/files.json" with { type: "json" };
import replay from "../../fixtures/demo/replay.json" with { type: "json" };

export const DEMO_CONFIG_FILE = "panewright.jsonc";

/** Relative to the demo's folder. */
export const DEMO_WORKDIR: string = config.wd;

export async function createDemoProject(): Promise<string> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "panewright-demo-" }));
  const texts: Readonly<Record<string, string>> = {
    [DEMO_CONFIG_FILE]: JSON.stringify(config, undefined, 2) + "\n",
    "replay.json": JSON.stringify(replay, undefined, 2) + "\n",
    ...Object.fromEntries(Object.entries(files).map(([path, lines]) => [path, lines.join("\n")])),
  };
  for (const [path, text] of Object.entries(texts)) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  return folder;
}
