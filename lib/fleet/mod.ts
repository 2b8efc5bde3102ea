/**
 * Jobs on many machines: a job goes in by {@linkcode submitJob}, a worker takes it in {@linkcode startWorker}, and how it
 * stands comes out of {@linkcode listJobs} and {@linkcode followJobLog}. All of it lies on one NATS server with JetStream;
 * only the commands of a fleet load it.
 *
 * @module
 */
export { type FleetCap, reachedCap, readCaps, readSpent, setCap } from "./caps.ts";
export { cleanFleet } from "./clean.ts";
export { collectResult, packRepository } from "./collect.ts";
export { connectFleet, type Fleet, saidOfServer } from "./connect.ts";
export { followEntry, listJobs, listWorkers, readJob, sayToJob, sayToWorker } from "./control.ts";
export { type Credentials, credentialsPath, readCredentials, readUsers } from "./credentials.ts";
export { type JobEntry, type JobEvent, readLabels } from "./job.ts";
export { followJobLog, readLog } from "./job_log.ts";
export { followJob, listOwnJobs } from "./follow.ts";
export { joinMachine } from "./join.ts";
export { systemLeaseClock } from "./lease.ts";
export { type JobName, jobText, PRIORITIES } from "./names.ts";
export { putObject } from "./objects.ts";
export { readNodes, type ServerNode } from "./nodes.ts";
export { makeServer, startServer } from "./server.ts";
export { setUpServer } from "./streams.ts";
export { submitJob } from "./submit.ts";
export { startWorker } from "./worker.ts";
export type { WorkerOptions } from "./worker_context.ts";
export { isTrustedSomewhere, readWorkerRules } from "./worker_rules.ts";
