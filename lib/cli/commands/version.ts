import { defineCommand, switchFlag } from "../console/command.ts";
import { outputLine } from "../../api/output/line.ts";
import { VERSION } from "../../base/version.ts";

export const command = defineCommand({
  flags: {
    licenses: switchFlag("the licences of panewright and of all that it contains"),
  },
  async run({ flags, global }, io) {
    const { deno, v8 } = Deno.version;
    const info = {
      version: VERSION,
      deno,
      os: Deno.build.os,
      arch: Deno.build.arch,
      standalone: Deno.build.standalone,
    };
    if (flags.licenses === true) {
      const { default: licenses } = await import("../licenses.json", { with: { type: "json" } });
      io.stdout(
        global.json
          ? licenses.map((license) => outputLine("license", license)).join("")
          : licenses.map(licenseText).join("") + runtimeText(deno, v8),
      );
    } else {
      io.stdout(
        global.json ? outputLine("version", info) : `panewright ${VERSION} (deno ${deno}, ${info.os} ${info.arch})\n`,
      );
    }
    return 0;
  },
});

function licenseText(license: { name: string; versions: readonly string[]; text: string }): string {
  const title = `${license.name} ${license.versions.join(", ")}`;
  return `${title}\n${"-".repeat(title.length)}\n\n${license.text.trim()}\n\n\n`;
}

/** The runtime is built by others and contains hundreds of components: it is named with where their licences are. */
function runtimeText(deno: string, v8: string): string {
  return `The executable also contains its runtime, with licences of its own:

  Deno ${deno}, MIT licence: https://github.com/denoland/deno/blob/v${deno}/LICENSE.md
  V8 ${v8}, BSD 3-Clause licence: https://chromium.googlesource.com/v8/v8/+/main/LICENSE
  The Rust crates that Deno is built of: https://github.com/denoland/deno/blob/v${deno}/Cargo.lock
`;
}
