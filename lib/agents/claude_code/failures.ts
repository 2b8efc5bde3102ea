import type { FailureTable } from "../failure.ts";

/**
 * What Claude Code says of turns that failed (2.0.53 to 2.1.330): the codes are those of `error` in its transcript, the
 * words are those of its screen, transcript and report. One code stands for a limit of the account and of the rate, and
 * `server_error` also for a connection that broke: there the words decide.
 */
export const CLAUDE_FAILURES: FailureTable = [
  { class: "usage_limit", code: /^billing_error$/ },
  {
    class: "usage_limit",
    words:
      /^(?:API Error: )?(?:You['’]ve (?:hit|reached) your .{0,60}\b(?:limit|budget)\b|You['’]re out of (?:extra )?usage\b|Your org is out of usage\b|(?:Request rejected \(429\) · )?spend limit reached\b|(?:\S+ ){0,3}usage limit reached\b|(?:5-hour|Weekly|Session) limit reached\b|Credit balance is too low\b)/i,
  },
  {
    // No time lifts these: an administrator does.
    class: "auth",
    words:
      /^(?:Your seat type doesn['’]t include\b|Your usage allocation has been disabled\b|Your group['’]s usage limit is set to \$0|This service is disabled for your org\b)/,
  },
  { class: "model", words: /^\S+(?: [^·\n]{1,40})? requires usage credits\b/ },
  {
    class: "auth",
    code:
      /^(?:authentication_failed|oauth_org_not_allowed|account_on_hold|verification_required|cloud_credential_error)$/,
  },
  {
    class: "auth",
    words:
      /^(?:Invalid API key\b|Not logged in\b|Please run \/login\b|Failed to authenticate\b|OAuth token (?:revoked|has expired)\b|API Error: 40[13]\b)/,
  },
  { class: "context", code: /^prompt_too_long$/ },
  {
    class: "context",
    words:
      /^(?:API Error: (?:400 )?)?(?:Prompt is too long\b|input length and `max_tokens` exceed context limit\b)|^API Error: 400 \{.{0,120}"message":"prompt is too long\b/i,
  },
  { class: "model", code: /^model_not_found$/ },
  {
    class: "model",
    words:
      /^(?:There['’]s an issue with the selected model\b|The model \S+ is not available\b)|^API Error: 404 \{.{0,120}"message":"model: /,
  },
  {
    class: "rate_limit",
    words: /^API Error: (?:429\b|Request rejected \(429\)|Rate limited\b|Server is temporarily limiting requests\b)/,
  },
  { class: "rate_limit", code: /^rate_limit$/ },
  {
    class: "network",
    words:
      /^(?:API Error: )?(?:Unable to connect to API\b|Connection (?:error|lost mid-response|closed mid-response)\b|Request timed out\b|fetch failed\b)/,
  },
  { class: "overloaded", code: /^(?:overloaded|server_error)$/ },
  {
    class: "overloaded",
    words: /^API Error: (?:(?:Repeated )?5\d\d\b|Overloaded\b|Server error mid-response\b|Internal server error\b)/,
  },
];
