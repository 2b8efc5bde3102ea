import type { FailureTable } from "../failure.ts";

/**
 * What Codex says of turns that failed (0.53.0 to 0.169.0): the codes are those of `codex_error_info` in its session
 * log, with the HTTP status behind a colon; the words are those of its screen, log and report. An answer of the model
 * server that Codex does not understand is shown as it is, as JSON.
 */
export const CODEX_FAILURES: FailureTable = [
  { class: "usage_limit", code: /^usage_limit_exceeded\b/ },
  {
    class: "usage_limit",
    words:
      /^(?:You['’]ve hit your usage limit\b|Quota exceeded\.|Your workspace is out of credits\.|You hit your spend cap\b)|"(?:type|code)":\s?"(?:usage_limit_reached|insufficient_quota)"/,
  },
  { class: "context", code: /^context_window_exceeded\b/ },
  {
    class: "context",
    words: /^Codex ran out of room in the model's context window\b|"code":\s?"context_length_exceeded"/,
  },
  { class: "auth", code: /^unauthorized\b|:(?:401|403)$/ },
  {
    class: "auth",
    words:
      /^(?:exceeded retry limit, last status: |unexpected status )40[13]\b|^Your access token could not be refreshed\b|^To use Codex with your ChatGPT plan\b|"(?:type|code)":\s?"(?:invalid_api_key|authentication_error)"/,
  },
  { class: "model", words: /"code":\s?"model_not_found"|^unexpected status 404\b.{0,300}\bmodel\b/s },
  { class: "rate_limit", code: /:429$/ },
  {
    class: "rate_limit",
    words:
      /^(?:exceeded retry limit, last status: |unexpected status )429\b|"(?:type|code)":\s?"rate_limit_(?:exceeded|error)"/,
  },
  { class: "overloaded", code: /^(?:server_overloaded|internal_server_error)\b|:5\d\d$/ },
  {
    class: "overloaded",
    words:
      /^(?:exceeded retry limit, last status: |unexpected status )5\d\d\b|^We['’]re currently experiencing high demand\b|^Selected model is at capacity\b|^Policy-restricted capacity is unavailable\b/,
  },
  {
    class: "network",
    code: /^(?:http_connection_failed|response_stream_connection_failed|response_stream_disconnected)\b/,
  },
  {
    class: "network",
    words: /^(?:stream disconnected before completion|error sending request|Connection failed|connection failed)\b/,
  },
];
