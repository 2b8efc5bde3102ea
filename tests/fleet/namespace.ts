import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { freePort } from "../support/free_port.ts";
import type { Line } from "./line.ts";

const IP = "/usr/sbin/ip";

async function run(...argv: [string, ...string[]]): Promise<string | undefined> {
  const { code, stderr } = await systemProcessRunner.run({ argv });
  return code === 0 ? undefined : `${argv.join(" ")}: ${stderr.trim()}`;
}

/** Why there can be no host of its own here; undefined where there can. */
export async function noNamespaceReason(): Promise<string | undefined> {
  const name = `pw-${crypto.randomUUID().slice(0, 8)}`;
  try {
    return await run(IP, "netns", "add", name) ?? await run(IP, "netns", "del", name);
  } catch {
    return `${IP} is not there`;
  }
}

/**
 * A host with a network of its own, and the cable to it: a network namespace, with a pair of Ethernet devices. Where the
 * cable is pulled, each side goes on sending into nothing.
 *
 * @param port of the server, on this machine
 */
export async function openNamespace(port: number): Promise<Line & { readonly inside: readonly [string, ...string[]] }> {
  const id = crypto.randomUUID().slice(0, 6);
  const [name, here, there] = [`pw-${id}`, `pwh${id}`, `pwt${id}`];
  const net = `10.${[...crypto.getRandomValues(new Uint8Array(2))].join(".")}`;
  const inside = [IP, "netns", "exec", name] as const;
  const must = async (...argv: [string, ...string[]]) => {
    const problem = await run(...argv);
    if (problem !== undefined) throw new Error(problem);
  };
  await must(IP, "netns", "add", name);
  let forward: RunningProgram | undefined;
  const close = async () => {
    await forward?.[Symbol.asyncDispose]();
    await must(IP, "netns", "del", name);
  };
  try {
    await must(IP, "link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
    await must(IP, "addr", "add", `${net}.1/30`, "dev", here);
    await must(...inside, IP, "addr", "add", `${net}.2/30`, "dev", there);
    await must(IP, "link", "set", here, "up");
    for (const device of ["lo", there]) await must(...inside, IP, "link", "set", device, "up");
    const own = freePort();
    const listening = `TCP-LISTEN:${own},bind=${net}.1,fork,reuseaddr`;
    forward = startProgram(["socat", listening, `TCP:127.0.0.1:${port}`], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
    return {
      ...{ inside, host: `${net}.1`, port: own },
      cut: () => must(IP, "link", "set", here, "down"),
      mend: () => must(IP, "link", "set", here, "up"),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
