// Made by `deno task schemas`.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs of all working directories that are served, the newest first */
        get: operations["listRuns"];
        put?: never;
        /**
         * Starts a run
         * @description Answered once the run's first record is on the disk. The run does not depend on this server. With an `Idempotency-Key` the same request is the same run, whatever was killed in between. What the configuration does must be trusted (`panewright trust`): a refusal starts nothing.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a run is
         * @description The same as `panewright status --json`, with the sequence of the last record that is in it.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a run waits for, and what it was answered */
        get: operations["listQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The records of a run's journal, and then each as it is written
         * @description Server-Sent Events. A client that comes back with the id that it saw last gets exactly what it has not seen, also of a run that is over. The stream stays open after the run's end, since a run can be resumed.
         */
        get: operations["followRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers what a run waits for
         * @description The first answer counts. A permission takes yes or no, and after a no the reason; a dialog with several questions, a line for each.
         */
        post: operations["answerQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops a run, to be resumed later */
        post: operations["stopRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resumes a run, in a process of its own */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a run, as it is now */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/report/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changes in the report of a run
         * @description Server-Sent Events. A message has the header, and the items that are new or take the place of those with the same id; its id begins with the last record that is in it. `reset` says that the report is to be read anew: the journal was cut, say, or too much has happened since.
         */
        get: operations["followReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A prompt, a response, a diff or a screen that the report names */
        get: operations["getDetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page of all runs */
        get: operations["getIndexPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The live page of a run */
        get: operations["getRunPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/screens/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a role's agent shows, as it changes
         * @description Server-Sent Events without ids: each `screen` replaces the one before, so a client that comes back has missed nothing. It is looked at only while somebody watches. A client that reads slowly gets fewer frames.
         */
        get: operations["watchScreen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/buttons/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives the answer that a button of a notification stands for
         * @description The token of the button takes the place of the server's: it stands for one answer to one question, and can be used once.
         */
        post: operations["pressButton"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457. */
        Problem: {
            /** @description `urn:panewright:problem:` and the code. */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong, as the command says it. */
            detail: string;
            /** @enum {string} */
            code: "malformed" | "unauthorized" | "wrong_host" | "foreign_origin" | "unknown_path" | "unknown_role" | "unknown_detail" | "wrong_method" | "too_slow" | "ambiguous_run" | "too_large" | "wrong_type" | "refused" | "too_many_requests" | "headers_too_large" | "internal" | "overloaded" | "ending" | "timed_out" | "unknown_run" | "run_over" | "not_open" | "answered_before" | "needs_trust" | "reserved_for_person" | "busy" | "key_reused" | "bad_input";
            /** @description What can be done about it. */
            hint?: string;
            mistakes?: {
                /** @description A JSON pointer into what was given. */
                pointer: string;
                detail: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        version: string;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The working directories that are served. */
                        workdirs: string[];
                        runs: {
                            /** @description The run's id. */
                            run: string;
                            job: ("run" | "exec") | null;
                            /**
                             * @description How the run is, in one word; `panewright help runs` explains them.
                             * @enum {string}
                             */
                            state: "running" | "waiting" | "passed" | "failed" | "stopped" | "killed" | "needs_person" | "error" | "empty" | "unreadable";
                            /** @description Whether a process executes it. */
                            executed: boolean;
                            startedAt: string | null;
                            lastRecordAt: string | null;
                            /** @description What the agents are to do, in one line. */
                            about?: string;
                            question?: string | null;
                            /** @description Whether that question has its answer. */
                            answered?: boolean;
                            /** @description Whether agents are left of a run that was killed. */
                            agentsAlive?: boolean;
                            /** @description Why it ended as it did. */
                            reason?: string;
                            /** @description Why it cannot be read. */
                            problem?: string;
                            /** @description Its folder. */
                            folder: string;
                            /** @description Its working directory. */
                            workdir: string;
                        }[];
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The folder in which the agents work: one that is served. Default: the one that is, if there is only one. */
                    workdir?: string;
                    /**
                     * @description A review loop (`run`) or a pipeline (`exec`).
                     * @enum {string}
                     */
                    kind: "run" | "exec";
                    /** @description The config file, from the working directory. Default: panewright.jsonc, where there is one. */
                    config?: string;
                    /** @description Values of flags by their names, for `run`: max-rounds, max-review-cycles, start-agent, response-timeout, provider; for `exec`: pipeline, provider, autonomy-level, only, keep-going, force. */
                    overrides?: {
                        [key: string]: string | number | boolean | string[];
                    };
                    /** @description Needed for `exec`; for `run` the configuration has one. */
                    task?: {
                        /** @description What the agents are to do. */
                        text: string;
                    } | {
                        /** @description A file with it, from the working directory. */
                        path: string;
                    };
                };
            };
        };
        responses: {
            /** @description It runs. */
            202: {
                headers: {
                    /** @description The path of the run. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run's id. */
                        run: string;
                        /** @description Its folder. */
                        folder: string;
                        /** @description Whether this request has begun it; otherwise an earlier one with the same key has. */
                        isNew: boolean;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `needs_trust`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_slow` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input`, `key_reused`, `refused` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run's id. */
                        run: string;
                        /**
                         * @description How the run is, in one word; `panewright help runs` explains them.
                         * @enum {string}
                         */
                        state: "running" | "waiting" | "passed" | "failed" | "stopped" | "killed" | "needs_person" | "error" | "empty" | "unreadable";
                        /** @description Its folder. */
                        folder: string;
                        /** @description Whether a process executes it. */
                        executed: boolean;
                        /** @description Who executes it: `process 1234`. */
                        owner?: string;
                        /** @description Whether anything is alive that came out of its agents. */
                        agentsAlive: boolean;
                        progress: {
                            /** @enum {string} */
                            job: "run" | "exec";
                            /** @description The run's id. */
                            runId: string;
                            /** @description The run's folder. */
                            folder: string;
                            /** @description The folder in which the agents work. */
                            workdir: string;
                            configFile: string | null;
                            /** @description What the agents are to do, in one line. */
                            about: string;
                            /** @description When the run began, ISO 8601. */
                            startedAt: string;
                            /** @description When the process that executes the run, or executed it last, began, ISO 8601. */
                            executedSince: string;
                            /** @description When the last record was written, ISO 8601. */
                            lastAt: string;
                            /** @description Its type. */
                            lastRecord: string;
                            /** @description Where in its job the run is, from the outermost level to the innermost. */
                            place: {
                                /** @enum {string} */
                                unit: "round" | "cycle" | "task" | "step" | "attempt";
                                /** @description From 1; 0: none has begun. */
                                number: number;
                                /** @description How many there are, or may be. */
                                of?: number;
                                /** @description The step's name, or the path of the task. */
                                name?: string;
                            }[];
                            pipeline?: {
                                name: string;
                                steps: string[];
                            };
                            /** @description What happens at this moment. */
                            activity?: {
                                /** @enum {string} */
                                kind: "starting" | "turn" | "tests" | "check" | "usage_limit" | "retry";
                                /** @description Since when, ISO 8601. */
                                since: string;
                                /** @description When a wait ends, as far as that is known, ISO 8601. */
                                until?: string;
                                /** @description Whose turn it is. */
                                worker?: string;
                                /** @description The command, the check, or why it waits. */
                                detail?: string;
                            };
                            /** @description The agents, in the order in which they were started. */
                            workers: {
                                /** @description The role, or the step. */
                                name: string;
                                provider: string;
                                /** @enum {string} */
                                status: "idle" | "processing" | "completed" | "waiting_user_answer" | "error" | "unknown" | "starting" | "prompting" | "prompted" | "limited" | "lost";
                                /** @description Since when, ISO 8601. */
                                since: string;
                                /** @description The id of the CLI's own session. */
                                sessionId?: string;
                                /**
                                 * @description How it is driven; missing where it is in a pane, or works on a step.
                                 * @constant
                                 */
                                protocol?: "acp";
                                process?: {
                                    pid: number;
                                    processStart?: string;
                                };
                                pane?: {
                                    terminalId: string;
                                    pid: number;
                                    processStart?: string;
                                    wrapperShell?: string;
                                    launchedAtMs: number;
                                    sandbox?: string[];
                                };
                                /** @description The folder of its attempt, relative to the run's. */
                                folder?: string;
                            }[];
                            /** @description What waits for a person; where several agents do, the first. */
                            waiting?: {
                                /** @description Unique in its run: `q1`; missing where only the agent's pane takes the answer. */
                                id?: string;
                                /** @description The role, or the step, that asks. */
                                by: string;
                                /** @description The question, or what the dialog asks for. */
                                text: string;
                                /** @description When it was asked, ISO 8601. */
                                askedAt: string;
                                /** @description Whether it takes a yes or a no. */
                                isPermission?: boolean;
                                /** @description Whether only a person may answer it, and no model. */
                                reserved?: boolean;
                                /** @description Tells this request from any other; missing for a question of a step. */
                                fingerprint?: string;
                                dialog?: {
                                    /** @description What it asks for, such as `command` or `file_edit`. */
                                    kind: string;
                                    /** @description The command, the files, or the questions; missing where it is not known. */
                                    subject?: string;
                                    /** @description Why it is not answered automatically. */
                                    reason: string;
                                    /** @description The pane. */
                                    terminalId: string;
                                    /** @description How long it waits. */
                                    timeoutSeconds: number;
                                    /** @description What it asks, where an answer is more than a yes or a no. */
                                    questions?: {
                                        question: string;
                                        multiSelect: boolean;
                                        options: {
                                            label: string;
                                            description: string;
                                        }[];
                                    }[];
                                };
                            };
                            /** @description What waits for a person besides. */
                            alsoWaiting: {
                                /** @description Unique in its run: `q1`; missing where only the agent's pane takes the answer. */
                                id?: string;
                                /** @description The role, or the step, that asks. */
                                by: string;
                                /** @description The question, or what the dialog asks for. */
                                text: string;
                                /** @description When it was asked, ISO 8601. */
                                askedAt: string;
                                /** @description Whether it takes a yes or a no. */
                                isPermission?: boolean;
                                /** @description Whether only a person may answer it, and no model. */
                                reserved?: boolean;
                                /** @description Tells this request from any other; missing for a question of a step. */
                                fingerprint?: string;
                                dialog?: {
                                    /** @description What it asks for, such as `command` or `file_edit`. */
                                    kind: string;
                                    /** @description The command, the files, or the questions; missing where it is not known. */
                                    subject?: string;
                                    /** @description Why it is not answered automatically. */
                                    reason: string;
                                    /** @description The pane. */
                                    terminalId: string;
                                    /** @description How long it waits. */
                                    timeoutSeconds: number;
                                    /** @description What it asks, where an answer is more than a yes or a no. */
                                    questions?: {
                                        question: string;
                                        multiSelect: boolean;
                                        options: {
                                            label: string;
                                            description: string;
                                        }[];
                                    }[];
                                };
                            }[];
                            /** @description Messages from outside, oldest first: those that are not over, and the last 20 of the others. */
                            messages: {
                                id: string;
                                /** @description The role. */
                                worker: string;
                                /**
                                 * @description How it came; who sends over MCP is a model.
                                 * @enum {string}
                                 */
                                by: "command" | "http" | "mcp";
                                /** @description Who sends it, as the sender says. */
                                who?: string;
                                /** @description Whether the agent is asked for a response. */
                                wantsResponse: boolean;
                                /** @description When it arrived, ISO 8601. */
                                receivedAt: string;
                                /** @enum {string} */
                                status: "waiting" | "sending" | "sent" | "answered" | "failed";
                                /** @description Since when, ISO 8601. */
                                since: string;
                                /** @description Why it has failed. */
                                reason?: string;
                                /** @description The file with the response. */
                                archivedAs?: string;
                            }[];
                            /**
                             * @description What a model may answer in place of a person.
                             * @enum {string}
                             */
                            modelAnswers: "none" | "questions" | "all";
                            answers: {
                                id?: string;
                                /** @description The role, or the step, that asked. */
                                worker: string;
                                asked: string;
                                answer: string;
                                /** @description How the answer was given: `terminal`, `command`, `timeout`, `http`, `mcp` (by a model), `person`, … */
                                by: string;
                                /** @description Who gave it, where that has a name. */
                                who?: string;
                                /** @description When, ISO 8601. */
                                at: string;
                            }[];
                            /** @description What was finished, oldest first. */
                            done: {
                                /** @enum {string} */
                                unit: "round" | "cycle" | "task" | "step";
                                /** @description From 1. */
                                number: number;
                                /** @description The role that decided, the step's name, or the path of the task. */
                                name?: string;
                                /** @enum {string} */
                                outcome: "pass" | "fail";
                                reason?: string;
                                /** @description When, ISO 8601. */
                                at: string;
                            }[];
                            counts: {
                                /** @description Prompts that began a turn, or an attempt of a step. */
                                turns: number;
                                /** @description Responses that were taken. */
                                responses: number;
                                /** @description Reminders that were sent. */
                                reminders: number;
                                /** @description Dialogs that the policy accepted. */
                                acceptedDialogs: number;
                                /** @description Dialogs that the policy declined. */
                                declinedDialogs: number;
                            };
                            /** @description Tokens by model. */
                            usage: {
                                [key: string]: {
                                    /** @description All of the input. */
                                    inputTokens: number;
                                    /** @description Of the input, what came from a cache. */
                                    cachedInputTokens: number;
                                    /** @description Of the input, what was written to a cache. */
                                    cacheWriteInputTokens?: number;
                                    /** @description All of the output, with what was spent on reasoning. */
                                    outputTokens: number;
                                };
                            };
                            /** @description Tokens by role, or by step; and what each session or attempt has told last. */
                            tokens: {
                                byWorker: {
                                    [key: string]: {
                                        [key: string]: {
                                            /** @description All of the input. */
                                            inputTokens: number;
                                            /** @description Of the input, what came from a cache. */
                                            cachedInputTokens: number;
                                            /** @description Of the input, what was written to a cache. */
                                            cacheWriteInputTokens?: number;
                                            /** @description All of the output, with what was spent on reasoning. */
                                            outputTokens: number;
                                        };
                                    };
                                };
                                bySource: {
                                    [key: string]: {
                                        [key: string]: {
                                            /** @description All of the input. */
                                            inputTokens: number;
                                            /** @description Of the input, what came from a cache. */
                                            cachedInputTokens: number;
                                            /** @description Of the input, what was written to a cache. */
                                            cacheWriteInputTokens?: number;
                                            /** @description All of the output, with what was spent on reasoning. */
                                            outputTokens: number;
                                        };
                                    };
                                };
                            };
                            /** @description At most 20, oldest first. */
                            warnings: {
                                /** @description When, ISO 8601. */
                                at: string;
                                message: string;
                            }[];
                            /** @description The tmux session with the agents' panes. */
                            session?: {
                                socket: string;
                                name: string;
                                /** @description Whether the session is a person's own. */
                                existing: boolean;
                                /** @description What everything that is started in it carries in its environment. */
                                mark: string;
                                opened: boolean;
                            };
                            /** @description How the run ended, until it is resumed. */
                            finished?: {
                                /** @enum {string} */
                                outcome: "pass" | "fail" | "waiting" | "needs_human" | "error" | "interrupted";
                                reason: string;
                                /** @description When, ISO 8601. */
                                at: string;
                                resumeCommand?: string;
                            };
                        } | null;
                        /** @description The agents of a review loop. */
                        agents?: {
                            role: string;
                            provider: string;
                            /**
                             * @description How it is driven; missing where it is in a pane.
                             * @constant
                             */
                            protocol?: "acp";
                            terminalId?: string;
                            /** @description Of its process, where it has no pane. */
                            pid?: number;
                            sessionId?: string;
                            alive: boolean;
                        }[];
                        /** @description What waits for a person, with the command that answers it. */
                        question?: {
                            /** @description Unique in its run: `q1`; missing where only the agent's pane takes the answer. */
                            id?: string;
                            /** @description The role, or the step, that asks. */
                            by: string;
                            /** @description The question, or what the dialog asks for. */
                            text: string;
                            /** @description When it was asked, ISO 8601. */
                            askedAt: string;
                            /** @description Whether it takes a yes or a no. */
                            isPermission?: boolean;
                            /** @description Whether only a person may answer it, and no model. */
                            reserved?: boolean;
                            /** @description Tells this request from any other; missing for a question of a step. */
                            fingerprint?: string;
                            dialog?: {
                                /** @description What it asks for, such as `command` or `file_edit`. */
                                kind: string;
                                /** @description The command, the files, or the questions; missing where it is not known. */
                                subject?: string;
                                /** @description Why it is not answered automatically. */
                                reason: string;
                                /** @description The pane. */
                                terminalId: string;
                                /** @description How long it waits. */
                                timeoutSeconds: number;
                                /** @description What it asks, where an answer is more than a yes or a no. */
                                questions?: {
                                    question: string;
                                    multiSelect: boolean;
                                    options: {
                                        label: string;
                                        description: string;
                                    }[];
                                }[];
                            };
                            answered: boolean;
                            answerCommand?: string;
                        };
                        /** @description What can be done now, as command lines. */
                        commands: {
                            resume?: string;
                            attach?: string;
                            /** @description As tmux itself is called. */
                            attachTmux?: string;
                            stop?: string;
                            logs?: string;
                        };
                        problem?: {
                            message: string;
                            hint?: string;
                        };
                        /** @description The last record that is in `progress`; follow the events after it. */
                        sequence: number;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQuestions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What waits for an answer, the first one first; and the answers that were given, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        questions: {
                            /** @description Unique in its run: `q1`; missing where only the agent's pane takes the answer. */
                            id?: string;
                            /** @description The role, or the step, that asks. */
                            by: string;
                            /** @description The question, or what the dialog asks for. */
                            text: string;
                            /** @description When it was asked, ISO 8601. */
                            askedAt: string;
                            /** @description Whether it takes a yes or a no. */
                            isPermission?: boolean;
                            /** @description Whether only a person may answer it, and no model. */
                            reserved?: boolean;
                            /** @description Tells this request from any other; missing for a question of a step. */
                            fingerprint?: string;
                            dialog?: {
                                /** @description What it asks for, such as `command` or `file_edit`. */
                                kind: string;
                                /** @description The command, the files, or the questions; missing where it is not known. */
                                subject?: string;
                                /** @description Why it is not answered automatically. */
                                reason: string;
                                /** @description The pane. */
                                terminalId: string;
                                /** @description How long it waits. */
                                timeoutSeconds: number;
                                /** @description What it asks, where an answer is more than a yes or a no. */
                                questions?: {
                                    question: string;
                                    multiSelect: boolean;
                                    options: {
                                        label: string;
                                        description: string;
                                    }[];
                                }[];
                            };
                            answered: boolean;
                            answerCommand?: string;
                        }[];
                        answers: ({
                            worker: string;
                            asked: string;
                            answer: string;
                            by: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followRun: {
        parameters: {
            query?: {
                /** @description The last sequence that is known. Default: 0, all of it. */
                after?: string;
                /** @description `false`: the stream ends with what there is. Default: `true`. */
                follow?: "true" | "false";
            };
            header?: {
                /** @description Like `after`, and before it. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": ({
                        type: string;
                        v: number;
                        /** @description When it happened, ISO 8601. */
                        at: string;
                    } & {
                        [key: string]: unknown;
                    }) | {
                        /** @enum {string} */
                        why: "cut" | "unreadable" | "removed";
                        /** @description The first sequence that does not hold, or cannot be read. */
                        from: number;
                        /** @description The last one; missing where it is not known. */
                        to?: number;
                        /** @description Why it cannot be read. */
                        detail?: string;
                    } | {
                        /** @description The last record that was told. */
                        sequence: number;
                        /** @description Whether a process executes the run. */
                        executed: boolean;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerQuestion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The question's id, such as `q1`. Default: the one that is open. */
                    question?: string;
                    /** @description The words. */
                    answer: string;
                    /** @description What was seen when the answer was decided: an answer to anything else is refused. */
                    fingerprint?: string;
                };
            };
        };
        responses: {
            /** @description It is taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run's id. */
                        run: string;
                        /** @description What was answered. */
                        question: string;
                        /** @description Whether a process executes the run, and continues by itself; otherwise resume it. */
                        goesOn: boolean;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `needs_trust`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_slow` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run`, `answered_before`, `not_open` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether to kill the process that executes it, instead of telling it to end. Default: false. */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run's id. */
                        run: string;
                        /** @description The process that executed it; null where none did. */
                        pid: number | null;
                        /** @description Whether agents were ended whose panewright was gone. */
                        endedAgents: boolean;
                        /** @description Whether agents are still alive. */
                        agentsAlive: boolean;
                        /**
                         * @description How the run is, in one word; `panewright help runs` explains them.
                         * @enum {string}
                         */
                        state: "running" | "waiting" | "passed" | "failed" | "stopped" | "killed" | "needs_person" | "error" | "empty" | "unreadable";
                        /** @description Resumes it; missing where it is over. */
                        resumeCommand?: string;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_slow` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input`, `refused` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Caps that it may go up to from now on, by name: `max_turns`. */
                    raise?: {
                        [key: string]: number;
                    };
                };
            };
        };
        responses: {
            /** @description It runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run's id. */
                        run: string;
                        /** @description Its folder. */
                        folder: string;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `needs_trust`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_slow` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run`, `busy`, `run_over` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input`, `refused` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How the run is as a whole; see `panewright schema report`. */
                        header: {
                            /** @description The last record that is taken in. */
                            sequence: number;
                            runId: string;
                        } & {
                            [key: string]: unknown;
                        };
                        items: ({
                            id: string;
                            /** @description The record that made it. */
                            sequence: number;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followReport: {
        parameters: {
            query?: {
                /** @description The `sequence` of the report's header. */
                after?: string;
            };
            header?: {
                /** @description Like `after`, and before it. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description The last record that is taken in. */
                        sequence: number;
                        /** @description How the run is as a whole; see `panewright schema report`. */
                        header: {
                            /** @description The last record that is taken in. */
                            sequence: number;
                            runId: string;
                        } & {
                            [key: string]: unknown;
                        };
                        items: ({
                            id: string;
                            /** @description The record that made it. */
                            sequence: number;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDetail: {
        parameters: {
            query: {
                /** @description As an item of the report names it. */
                ref: string;
            };
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The detail. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        kind: "prompt" | "response" | "diff" | "screen" | "output" | "audit";
                        ref: string;
                        title: string;
                        /** @description Of a screen, rows with their styles. Empty where there is a problem. */
                        text: string;
                        /** @description How much of it is not in the text. */
                        leftOut?: string;
                        /** @description Why there is none. */
                        problem?: string;
                        /** @description Of a screen. */
                        columns?: number;
                        /** @description Of a screen. */
                        rows?: number;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_detail`, `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIndexPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It has no data: it asks for them with the token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It has no data: it asks for them with the token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchScreen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's whole id: `20261120-072605-3fa9`. */
                run: string;
                /** @description The role: `analyst`, `analyst_review`, `programmer`, `programmer_review`, `tester`. */
                role: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The frames. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @constant */
                        type: "screen";
                        /** @description When it was seen, ISO 8601. */
                        at: string;
                        /** @enum {string} */
                        role: "analyst" | "analyst_review" | "programmer" | "programmer_review" | "tester";
                        /** @description Its agent; missing while there is none. */
                        provider?: string;
                        /**
                         * @description What the agent does, by the journal and not by its screen; `none`: its agent has not started yet.
                         * @enum {string}
                         */
                        status: "idle" | "processing" | "completed" | "waiting_user_answer" | "error" | "unknown" | "starting" | "prompting" | "prompted" | "limited" | "lost" | "none";
                        /** @description Since when, ISO 8601. */
                        since?: string;
                        /** @description Null where there is nothing to be seen; `why` says why. */
                        pane: {
                            /** @description Its width. */
                            columns: number;
                            /** @description Its height. */
                            rows: number;
                            /** @description Missing where none is shown. */
                            cursor?: {
                                /** @description From 0. */
                                column: number;
                                /** @description From 0. */
                                row: number;
                            };
                            /** @description The title that the agent's CLI has set. */
                            title: string;
                            /** @description Whether its program has ended. */
                            isDead: boolean;
                            /** @description The rows, with SGR sequences as the only control sequences. Secrets are replaced. */
                            text: string;
                            /** @description Whether styles were left out, because there are too many. */
                            isPlain: boolean;
                        } | null;
                        /** @description Why nothing can be seen. */
                        why?: string;
                    } | {
                        /** @constant */
                        type: "activity";
                        /** @description When it was seen, ISO 8601. */
                        at: string;
                        /** @enum {string} */
                        role: "analyst" | "analyst_review" | "programmer" | "programmer_review" | "tester";
                        /** @description Its agent; missing while there is none. */
                        provider?: string;
                        /**
                         * @description What the agent does, by the journal and not by its screen; `none`: its agent has not started yet.
                         * @enum {string}
                         */
                        status: "idle" | "processing" | "completed" | "waiting_user_answer" | "error" | "unknown" | "starting" | "prompting" | "prompted" | "limited" | "lost" | "none";
                        /** @description Since when, ISO 8601. */
                        since?: string;
                        rows: {
                            /** @description When, ISO 8601. */
                            at: string;
                            /** @description What stands before the text, and tells what it is. */
                            mark: string;
                            /** @description One row. */
                            text: string;
                            /** @enum {string} */
                            style?: "strong" | "faint" | "good" | "caution" | "bad" | "cyan";
                            /** @description Whether something new begins with it. */
                            begins: boolean;
                        }[];
                        /** @description Whether the rows replace all that were told before: at first, and when some were missed. */
                        isReset: boolean;
                        /** @description What the agent is at, in a line; may be empty. */
                        doing: string;
                    } | {
                        /** @constant */
                        type: "end";
                        /** @description When, ISO 8601. */
                        at: string;
                        /** @enum {string} */
                        role: "analyst" | "analyst_review" | "programmer" | "programmer_review" | "tester";
                        /** @description Why. */
                        why: string;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unknown_role`, `unknown_run` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `ambiguous_run` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pressButton: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The button's. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer was given. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The question's id. */
                        question: string;
                        /** @description Whether the run continues by itself; otherwise it is to be resumed. */
                        goesOn: boolean;
                    };
                };
            };
            /** @description `malformed` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `foreign_origin`, `needs_trust`, `wrong_host` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `answered_before`, `not_open` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_input` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_requests` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `overloaded` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
