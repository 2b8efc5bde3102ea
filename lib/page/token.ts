/** What `panewright serve` writes: 32 bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The token that opens the server, kept for this tab only, and never in the address. */
export interface TokenKeeper {
  readonly current: () => string | undefined;
  /** Takes the token out of a text: the token itself, or the address that the server has printed. */
  readonly take: (text: string) => boolean;
}

export function tokenIn(text: string): string | undefined {
  const [, named] = /[#&]token=([^&\s]*)/.exec(text) ?? [];
  const found = named ?? text.trim().replace(/^.*#/, "");
  return TOKEN.test(found) ? found : undefined;
}
