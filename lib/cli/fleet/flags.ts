import {
  type CliIo,
  type FlagValues,
  type GlobalFlags,
  integerFlag,
  numberFlag,
  switchFlag,
  textFlag,
} from "../console/command.ts";
import { FLEET_FLAG } from "./open_fleet.ts";

/** The flags of `panewright fleet`; each says which action takes it. */
export const FLAGS = {
  fleet: FLEET_FLAG,
  follow: switchFlag("logs: go on as things happen", "f"),
  question: textFlag("ID", "answer: which one, where several are open"),
  wd: textFlag("DIR", "collect, follow: the repository that the result comes into"),
  "older-than": numberFlag("DAYS", "clean: jobs that have ended so long ago"),
  worker: textFlag("FILE", "join: the worker's credentials, which go there"),
  name: textFlag("NAME", "join: its name among the workers (default: the host's)"),
  slots: integerFlag("N", "join: how many jobs it works on at a time (default: 1)"),
  "max-load": numberFlag(
    "N",
    "join: it takes no further job while more processes than this want each core (default: 4)",
  ),
  label: textFlag("NAME=VALUE", "join: a label that jobs may want; cap: of the jobs that want it", {
    repeatable: true,
  }),
  accept: textFlag(
    "FILE",
    "join: what it takes (default: what is sent along, by configurations that are trusted there)",
  ),
  "ssh-config": textFlag("FILE", "join: ssh's configuration file"),
  host: textFlag("ADDR", "init: where the server listens (default: 127.0.0.1)"),
  node: textFlag("NAME=HOST:PORT", "init: a server of a cluster, of three or more", { repeatable: true }),
  port: integerFlag("N", "init, up: its port, when it is made (default: 4222)"),
  user: textFlag("NAME=RIGHTS", "init: a user: submitter, worker or viewer", { repeatable: true }),
  "lease-seconds": integerFlag(
    "N",
    "up, apply: how long a job is a worker's without a sign of life (30 when the streams are made); workers read it when they start",
  ),
  replicas: integerFlag("N", "apply: on how many servers of a cluster everything is kept (default: 1)"),
  "tls-cert": textFlag("FILE", "init: the server's certificate, in PEM form"),
  "tls-key": textFlag("FILE", "init: its key, in PEM form"),
  "tls-ca": textFlag("FILE", "init: the certificate of who has signed it"),
};

/** How an action of `panewright fleet` was called. */
export type Given = {
  readonly flags: FlagValues<typeof FLAGS>;
  readonly rest: readonly string[];
  readonly global: GlobalFlags;
  readonly io: CliIo;
};
