import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { freePort } from "../support/free_port.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { processesOf } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { type FleetStage, fleetStage } from "./fleet_stage.ts";

/** A machine of its own but for its files and its network, with the user services of systemd of who comes in by ssh. */
const WITH_SERVICES = `mount -t tmpfs none /run && mkdir -p /run/sshd /run/systemd/system /run/user && \
{ HOME="$0" XDG_RUNTIME_DIR=/run/user PANEWRIGHT_SANDBOX=off systemd --user >"$0/services.log" 2>&1 & } && exec "$@"`;

/** Why there can be no such machine; `undefined` where there can. */
async function whyNoServices(): Promise<string | undefined> {
  const script = 'mount -t tmpfs none /run && command -v systemd >/dev/null || { echo "there is no systemd"; exit 1; }';
  const { code, stdout, stderr } = await systemProcessRunner.run({ argv: [...OWN_MACHINE, "sh", "-c", script] })
    .catch((error) => ({ code: 1, stdout: String(error), stderr: "" }));
  return code === 0 ? undefined : `${stdout}${stderr}`.trim();
}

const OWN_MACHINE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

/** A real sshd for this user, whose home is another folder there; ssh's configuration knows it by two names. */
async function openSshd(
  { sandbox: { root, env } }: FleetStage,
  { hasServices = false }: { readonly hasServices?: boolean } = {},
) {
  const folder = `${root}/ssh`;
  const home = `${root}/homes/remote`;
  for (const path of [folder, home, "/run/sshd"]) await Deno.mkdir(path, { recursive: true });
  for (const name of ["host", "key"]) {
    const argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", `${folder}/${name}`] as const;
    assertEquals((await systemProcessRunner.run({ argv })).code, 0);
  }
  await Deno.copyFile(`${folder}/key.pub`, `${folder}/authorized`);
  const port = freePort();
  const { env: own } = await panewrightThatStartsFast();
  const given = {
    ...env,
    ...own,
    HOME: home,
    PATH: `${home}/bin:${env["PATH"]}`,
    PANEWRIGHT_SANDBOX: "off",
    XDG_RUNTIME_DIR: "/run/user",
  };
  const words = Object.entries(given).map(([name, value]) => `${name}='${value}'`).join(" ");
  await Deno.writeTextFile(
    `${folder}/sshd_config`,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${folder}/host`,
      `AuthorizedKeysFile ${folder}/authorized`,
      "StrictModes no",
      "UsePAM no",
      "PidFile none",
      "PermitRootLogin yes",
      `ForceCommand exec env -i ${words} sh -c "$SSH_ORIGINAL_COMMAND"`,
    ].join("\n") + "\n",
  );
  const { stdout: user } = await systemProcessRunner.run({ argv: ["id", "-un"] });
  const config = `${folder}/config`;
  await Deno.writeTextFile(
    config,
    [
      "Host localhost build1",
      "HostName 127.0.0.1",
      `Port ${port}`,
      `User ${user.trim()}`,
      "IdentitiesOnly yes",
      `UserKnownHostsFile ${folder}/known`,
      "StrictHostKeyChecking accept-new",
      `IdentityFile ${folder}/key`,
    ].join("\n") + "\n",
  );
  const argv = ["/usr/sbin/sshd", "-D", "-e", "-f", `${folder}/sshd_config`] as const;
  const machine = [...OWN_MACHINE, "sh", "-c", WITH_SERVICES, home, ...argv] as const;
  const sshd = startProgram(hasServices ? machine : argv, { cwd: root, env });
  await until(() => sshd.output.stderr, (text) => text.includes("Server listening"));
  return { config, home, [Symbol.asyncDispose]: () => sshd[Symbol.asyncDispose]() };
}

Deno.test("a machine is joined by ssh: program, credentials and rules are copied, and its worker takes a job", async () => {
  await using stage = await fleetStage();
  await using sshd = await openSshd(stage);
  const worker = stage.credentials["machine"] ?? "";
  const join = (host: string, ...args: readonly string[]) =>
    stage.call("fleet", "join", host, "--worker", worker, "--max-load", "1000", "--ssh-config", sshd.config, ...args);
  const refused = [
    [await join("build1"), "it would look for the fleet's server on itself"],
    [await join("localhost", "--label", "gpu"), 'Cannot read the label "gpu"'],
    [
      await stage.call("fleet", "join", "localhost", "--worker", stage.credentials["me"] ?? ""),
      "no worker's credentials",
    ],
    [await stage.call("fleet", "join", "localhost"), "no worker's credentials is named"],
    [await join("nobody@localhost"), "It must let you in with a key: ssh nobody@localhost true"],
  ] as const;
  for (const [{ code, stderr }, problem] of refused) {
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, problem);
  }

  const rules = `${stage.sandbox.root}/worker.jsonc`;
  const joined = await join("localhost", "--slots", "2", "--label", "team=shop", "--accept", rules, "--json");
  assertEquals(joined.code, 0, joined.stderr);
  assertEquals(JSON.parse(joined.stdout).worker, "localhost");
  const listed = await stage.call("fleet", "workers");
  assertStringIncludes(listed.stdout, "team=shop");
  assertEquals((await Deno.stat(`${sshd.home}/.config/panewright/fleet.json`)).mode! & 0o777, 0o600);
  assertEquals(await Deno.readTextFile(`${sshd.home}/.config/panewright/worker.jsonc`), await Deno.readTextFile(rules));
  assert((await Deno.stat(`${sshd.home}/.local/lib/panewright/panewright.mjs`)).isFile);

  const twice = await join("localhost");
  assertEquals(twice.code, 2);
  assertStringIncludes(twice.stderr, "its worker localhost is there already");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on", "--label", "team=shop")).code, 0);
  await stage.reaches("go-on", "pass");
  assertEquals((await stage.call("fleet", "drain", "localhost")).code, 0);
  await until(async () => (await stage.call("fleet", "workers")).stdout.includes("has no workers"));

  // With user services of systemd, for which a program stands in that starts what the unit says.
  await Deno.mkdir(`${sshd.home}/bin`);
  await Deno.writeTextFile(`${sshd.home}/bin/systemctl`, SYSTEMCTL, { mode: 0o755 });
  await Deno.writeTextFile(`${sshd.home}/bin/loginctl`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const again = await join("localhost", "--name", "again", "--slots", "3");
  assertEquals(again.code, 0, again.stderr);
  assertStringIncludes(again.stdout, "localhost is the worker again. It is started again with the machine.");
  const calls = (await Deno.readTextFile(`${sshd.home}/systemctl.log`)).trim().split("\n");
  assertEquals(calls.slice(1), [
    "--user daemon-reload",
    "--user enable panewright-worker",
    "--user restart --no-block panewright-worker",
  ]);
  // What it takes is the person's by then.
  assertEquals(await Deno.readTextFile(`${sshd.home}/.config/panewright/worker.jsonc`), await Deno.readTextFile(rules));
  assertEquals((await stage.call("fleet", "drain", "again")).code, 0);
  await until(async () => (await stage.call("fleet", "workers")).stdout.includes("has no workers"));
});

const noServices = await whyNoServices();

Deno.test({
  name: `a machine with the user services of systemd: its worker is one, and is started again when it was killed${
    noServices === undefined ? "" : ` (skipped: ${noServices})`
  }`,
  ignore: noServices !== undefined,
  async fn() {
    await using stage = await fleetStage();
    await using sshd = await openSshd(stage, { hasServices: true });
    const worker = stage.credentials["machine"] ?? "";
    const words = ["--worker", worker, "--max-load", "1000", "--ssh-config", sshd.config, "--label", "team=shop"];
    const rules = `${stage.sandbox.root}/worker.jsonc`;
    const joined = await stage.call("fleet", "join", "localhost", ...words, "--accept", rules);
    assertEquals(joined.code, 0, joined.stderr);
    assertStringIncludes(joined.stdout, "It is started again with the machine.");
    const workers = async () =>
      (await processesOf(sshd.home)).filter(({ command }) => / worker /.test(command)).map(({ pid }) => pid);
    const [first] = await until(workers, (pids) => pids.length > 0);
    Deno.kill(first!, "SIGKILL");
    await until(workers, (pids) => pids.some((pid) => pid !== first));
    assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on", "--label", "team=shop")).code, 0);
    await stage.reaches("go-on", "pass");
  },
});

const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$HOME/systemctl.log"
if [ "$2" = restart ]; then
  unit="$HOME/.config/systemd/user/$4.service"
  command=$(sed -n 's/^ExecStart=//p' "$unit" | sed "s,%h,$HOME,g")
  (exec > /dev/null 2>&1 < /dev/null; eval "exec setsid $command") &
fi
`;
