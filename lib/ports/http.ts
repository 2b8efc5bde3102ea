/** Sends a message to a web address; only success matters, not the response. */
export interface HttpPoster {
  /**
   * @throws when the address cannot be reached in time, or answers with an error status
   */
  post(url: string, message: HttpMessage): Promise<void>;
}

/** What is posted. */
export interface HttpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Sends messages with `fetch`. */
export const systemHttpPoster: HttpPoster = {
  async post(url, { headers, body, timeoutMs }) {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trimEnd());
  },
};
