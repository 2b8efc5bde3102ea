import { folderOfPerson } from "../workspace/workspace.ts";
import type { TrustSubject } from "../config/trust/examine.ts";

export function examineFolder(workdir: string, check: string): TrustSubject {
  const folder = folderOfPerson(workdir);
  const items = [
    {
      key: "folder",
      does: "lets an agent work there, whose CLI uses the settings, hooks and MCP servers of the repository",
      value: folder,
    },
    { key: "check", does: "runs a command after the work, outside of any sandbox", value: check },
  ];
  return { file: folder, files: {}, items: items.map((item) => ({ ...item, alone: false })) };
}
