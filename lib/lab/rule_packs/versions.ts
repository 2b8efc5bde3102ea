import { compareVersions } from "../../base/text/order.ts";
import { VERSION } from "../../base/version.ts";

/** Numbers with dots. The rules that are built in have the version of panewright; those of a pack go on from there. */
export const RULES_VERSION = /^\d{1,9}(?:\.\d{1,9}){0,4}$/;

/** Whether a version is higher than another one. */
export function isNewer(version: string, than: string): boolean {
  return compareVersions(trimmed(version), trimmed(than)) > 0;
}

/** Whether this panewright is too old for something. */
export function needsNewerEngine(minimumEngine: string): boolean {
  return isNewer(minimumEngine, VERSION);
}

/** `0.1.0.0` is `0.1`: numbers that say nothing make no difference. */
function trimmed(version: string): string {
  return version.replace(/(?:\.0+)+$/, "");
}
