import { systemHost } from "../../lib/base/ports/host.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { type CliName, installCli } from "./clis.ts";
import { tempDir } from "./temp_dir.ts";

/** Whether the sandbox of each CLI can run on this machine, as a program of the sandbox tells, and not panewright. */
export const CAN_RUN: Readonly<Record<CliName, boolean>> = {
  codex: await codexCan(),
  claude_code:
    ["bwrap", "socat"].every((program) =>
      systemHost().path.some((folder) => systemHost().realFile(`${folder}/${program}`) !== undefined)
    ) &&
    (await systemProcessRunner.run({ argv: ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"] })).code === 0,
};

async function codexCan(): Promise<boolean> {
  const { argv } = await installCli("codex");
  await using folder = await tempDir();
  // It makes helper programs in its home, and none where temporary files go.
  const env = { HOME: folder.path, CODEX_HOME: folder.path, TMPDIR: `${folder.path}/tmp` };
  return (await systemProcessRunner.run({ argv: [...argv, "sandbox", "--", "/bin/true"], env })).code === 0;
}
