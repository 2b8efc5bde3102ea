import { dirname } from "@std/path/posix";
import { readRegularText } from "../base/ports/regular_file.ts";
import { parseJsonObject } from "../base/text/json.ts";

const MAX_FOLDERS = 8;

const MAX_BYTES = 1024 * 1024;

/** The version of the npm package that a program belongs to; nothing is run. */
export function packageVersion(file: string, name: string): string | undefined {
  let folder = dirname(file);
  for (let above = 0; above < MAX_FOLDERS && folder !== "/"; above++, folder = dirname(folder)) {
    const { name: own, version } = packageIn(folder);
    if (own !== name && !String(own).startsWith(`${name}-`)) continue;
    return /^\d+\.\d+\.\d+/.exec(String(version))?.[0];
  }
  return undefined;
}

function packageIn(folder: string): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(readRegularText(`${folder}/package.json`, { maxBytes: MAX_BYTES })) ?? {};
  } catch {
    return {};
  }
}
