import { compareVersions } from "../../base/text/order.ts";

export const RULES_VERSION = /^\d{1,9}(?:\.\d{1,9}){0,4}$/;

export function isNewer(version: string, than: string): boolean {
  return compareVersions(trimmed(version), trimmed(than)) > 0;
}

/** `0.1.0.0` is `0.1`: numbers that say nothing make no difference. */
function trimmed(version: string): string {
  return version.replace(/(?:\.0+)+$/, "");
}
