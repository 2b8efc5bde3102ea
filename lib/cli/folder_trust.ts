import { folderOfPerson } from "../workspace/workspace.ts";
import type { TrustSubject } from "../config/trust/examine.ts";

/** @param check empty where nothing is checked */
export function examineFolder(workdir: string, check: string): TrustSubject {
  const folder = folderOfPerson(workdir);
  const items = [
    {
      key: "folder",
      does: "lets an agent work there, whose CLI uses the settings, hooks and MCP servers of the repository",
      value: folder,
    },
    { key: "check", does: "runs a command after the work, in the sandbox where there is one", value: check },
  ];
  const all = items.filter(({ value }) => value !== "");
  return { file: folder, files: {}, items: all.map((item) => ({ ...item, alone: false })) };
}
