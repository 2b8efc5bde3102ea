import { useState } from "preact/hooks";
import { shownLine } from "./show.ts";

export function SignIn({ problem, onText }: {
  readonly problem: string;
  readonly onText: (text: string) => boolean;
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
        class="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get("token");
          setWrong(!onText(String(text)));
        }}
      >
        <label>
          <span>Token or address</span>
          <input name="token" type="password" autocomplete="off" spellcheck={false} required />
        </label>
        <button type="submit" class="main-act">Open</button>
      </form>
      {isWrong ? <p class="problem" role="alert">There is no token in this text.</p> : null}
    </main>
  );
}
