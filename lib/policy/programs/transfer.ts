import { type ProgramTable, useOf } from "./table.ts";

/** curl 8: settings files name anything, and uploads read files. */
export const CURL: ProgramTable = {
  programs: /^curl$/,
  runs: ["-K=", "--config=", "--engine="],
  writes: [
    ...[
      "-o=",
      "--output=",
      "--output-dir=",
      "-D=",
      "--dump-header=",
      "-c=",
      "--cookie-jar=",
      "--trace=",
      "--trace-ascii=",
    ],
    ...["--stderr=", "--libcurl=", "--hsts=", "--alt-svc=", "--etag-save="],
  ],
  reads: ["-T=", "--upload-file=", "-E=", "--cert=", "--key=", "--cacert=", "--netrc-file=", "-b=", "--cookie="],
  valued: [
    ...["-X=", "--request=", "-H=", "--header=", "-A=", "-u=", "--user=", "-e=", "-m=", "--max-time=", "-w=", "-x="],
    ...[
      "--connect-timeout=",
      "--retry=",
      "-d=",
      "--data=",
      "--data-binary=",
      "--data-raw=",
      "-F=",
      "--form=",
      "--json=",
    ],
  ],
  operands(_, { values }) {
    // A value such as @file is read.
    return ["-d", "--data", "--data-binary", "-F", "--form", "--json", "-H", "--header", "-w"].flatMap((name) =>
      (values.get(name) ?? []).filter(({ word }) => /@|=</.test(word.value ?? "@")).map((operand) =>
        useOf("runs", operand)
      )
    );
  },
};

/** wget 1.21. */
export const WGET: ProgramTable = {
  programs: /^wget2?$/,
  runs: ["--use-askpass=", "-e=", "--execute=", "--config=", "-i=", "--input-file="],
  writes: [
    ...["-O=", "--output-document=", "-P=", "--directory-prefix=", "-o=", "--output-file=", "-a=", "--append-output="],
    ...["--save-cookies=", "--warc-file=", "--rejected-log=", "--hsts-file="],
  ],
  reads: ["--post-file=", "--body-file=", "--load-cookies=", "--certificate=", "--private-key="],
  valued: ["-t=", "-T=", "-U=", "--header=", "-Q=", "-w="],
};

/** rsync 3.2. */
export const RSYNC: ProgramTable = {
  programs: /^rsync$/,
  runs: ["-e=", "--rsh=", "--rsync-path=", "--daemon", "--config=", "-M=", "--remote-option="],
  writes: [
    "--log-file=",
    "-T=",
    "--temp-dir=",
    "--backup-dir=",
    "--partial-dir=",
    "--write-batch=",
    "--only-write-batch=",
  ],
  reads: ["--files-from=", "--exclude-from=", "--include-from=", "--password-file=", "--read-batch="],
  valued: ["-f=", "--filter=", "--exclude=", "--include=", "-B=", "--bwlimit="],
};

/** ssh, scp and sftp of OpenSSH 9: options name programs, and what ssh runs elsewhere is not followed. */
export const SSH: ProgramTable = {
  programs: /^(?:ssh|scp|sftp|ssh-keygen|ssh-add)$/,
  runs: ["-o=", "-F=", "-S=", "-D=", "-I=", "-e=", "-P=", "-b="],
  reads: ["-i="],
  valued: ["-p=", "-l=", "-L=", "-R=", "-c=", "-J=", "-m="],
};
