import { useState } from "preact/hooks";
import { shownLine } from "./show.ts";
import type { TokenKeeper } from "./token.ts";

export function SignIn({ problem, token, onToken }: {
  readonly problem: string;
  readonly token: TokenKeeper;
  readonly onToken: () => void;
}) {
  const [isWrong, setWrong] = useState(false);
  return (
    <main class="page-problem">
      <h1>This page needs the token</h1>
      <p>{shownLine(problem)}</p>
      <p>
        Open the address that <code>panewright serve</code> has printed, or paste it here.
      </p>
      <form
        class="sign-in flow"
        onSubmit={(event) => {
          event.preventDefault();
          const isToken = token.take(String(new FormData(event.currentTarget).get("token")));
          setWrong(!isToken);
          if (isToken) onToken();
        }}
      >
        <label class="reason">
          <span class="small">Token or address</span>
          <input name="token" type="password" autocomplete="off" spellcheck={false} required />
        </label>
        <button type="submit" class="main-act">Open</button>
      </form>
      {isWrong ? <p class="problem" role="alert">There is no token in this text.</p> : null}
    </main>
  );
}
