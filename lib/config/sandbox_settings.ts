import * as z from "zod";
import { SANDBOX_MODES } from "../base/terms.ts";
import { hostProblem } from "../sandbox/hosts.ts";
import type { ShapedSlice } from "./shapes.ts";

const host = () =>
  z.string().superRefine((text, context) => {
    const problem = hostProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: `must name a host: ${problem}` });
  });

export const SANDBOX_SETTINGS = {
  isolation: {
    names: { key: "isolation", env: "PANEWRIGHT_ISOLATION" },
    value: { kind: "choice", of: ["none", "workspace"], default: "none" },
    description:
      "`workspace`: new runs work in a clone of the repository, apart from your checkout, until you `panewright apply` what came " +
      "of it. `none`: in the working directory itself.",
  },
  sandbox: {
    names: { key: "sandbox", env: "PANEWRIGHT_SANDBOX" },
    value: { kind: "choice", of: SANDBOX_MODES, default: "off" },
    description:
      "`agent`: the operating system holds each agent, the test command and checks in a sandbox: they write to the working " +
      "directory and to `permissions.writable`, read no secrets of the home, and reach the hosts of their models and of " +
      "`sandbox_network` alone. `commands` (or `cli`): each agent runs in the sandbox that its own CLI brings, and is refused " +
      "where that cannot be read back: commands write to the same folders, and have no network. `auto`: `agent` where the " +
      "machine can, else `commands`.",
  },
  sandboxNetwork: {
    names: { key: "sandbox_network" },
    value: { kind: "shape", schema: () => z.array(host()), must: "an array of hosts", default: [] },
    description:
      "Hosts that agents reach from the sandbox around them, besides those of their models: names, with a port " +
      "or with `*.` before them, such as those that your package manager installs from.",
    example: ["packages.example.org", "*.files.example.org:443"],
  },
  sandboxEnv: {
    names: { key: "sandbox_env" },
    value: {
      kind: "shape",
      schema: () => z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, "must be the name of a variable")),
      must: "an array of names of variables",
      default: [],
    },
    description:
      "Variables that agents get in the sandbox around them, besides those that programs and their CLI need.",
    example: ["DATABASE_URL"],
  },
} as const satisfies ShapedSlice;
