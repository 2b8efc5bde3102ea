import { present } from "../base/schema.ts";
import { requireNoAgent } from "../api/control/act.ts";
import { invite, uninvite } from "../api/http/token.ts";
import { outputLine } from "../api/output/line.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";

interface Change {
  readonly invite: string | undefined;
  readonly uninvite: string | undefined;
  /** Of the server's pages; undefined on a socket. */
  readonly address: string | undefined;
  readonly global: GlobalFlags;
  readonly io: CliIo;
}

/** Invites somebody to the person's pages, or takes that back; a server that runs sees it with the next request. */
export async function changePeople(
  state: string,
  { invite: name, uninvite: other, address: pages, global, io }: Change,
): Promise<number> {
  await requireNoAgent("say who may use this server");
  if (other !== undefined) {
    await uninvite(state, other);
    if (global.json) io.stdout(outputLine("invited", { who: other }));
    else if (!global.quiet) io.stdout(`${other} is signed out.\n`);
  }
  if (name === undefined) return 0;
  const token = await invite(state, name);
  const address = pages === undefined ? undefined : `${pages}#token=${token}`;
  if (global.json) io.stdout(outputLine("invited", { who: name, token, ...present({ address }) }));
  else io.stdout(`${name} may do here what you may: ${address ?? `the token is ${token}`}\n`);
  return 0;
}
