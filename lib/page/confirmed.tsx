import { useId, useRef } from "preact/hooks";

/** A button that asks once more before it acts. */
export function Confirmed({ verb, busy = "", disabled = false, question, text, yes, onYes }: {
  readonly verb: string;
  /** What it says instead, and is not to be pressed, while it is done. @default {""} */
  readonly busy?: string;
  /** @default {false} */
  readonly disabled?: boolean;
  readonly question: string;
  readonly text: string;
  readonly yes: string;
  readonly onYes: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const close = () => dialog.current!.close();
  return (
    <>
      <button type="button" disabled={disabled || busy !== ""} onClick={() => dialog.current!.showModal()}>
        {busy || verb}
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>{question}</h2>
        <p>{text}</p>
        <div class="answer flow">
          <button
            type="button"
            class="main-act"
            onClick={() => {
              close();
              onYes();
            }}
          >
            {yes}
          </button>
          <button type="button" onClick={close} autofocus>Cancel</button>
        </div>
      </dialog>
    </>
  );
}
