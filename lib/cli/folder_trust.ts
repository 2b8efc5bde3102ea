import type { TrustSubject } from "../config/trust/examine.ts";

/**
 * A folder without pipelines of its own, as a person is asked to trust it: what comes of a task that is only a text.
 *
 * @param folder absolute, every link resolved
 * @param options `isOwn`: whether the person has named the check now
 */
export function examineFolder(
  folder: string,
  { check, isOwn }: { readonly check: string; readonly isOwn: boolean },
): TrustSubject {
  return {
    file: folder,
    files: {},
    items: [
      {
        key: "folder",
        does: "lets an agent work there, whose CLI uses the settings, hooks and MCP servers of the repository",
        value: folder,
        alone: false,
      },
      {
        key: "check",
        does: "runs a command after the work, outside of any sandbox",
        value: check,
        alone: !isOwn,
      },
    ],
  };
}
