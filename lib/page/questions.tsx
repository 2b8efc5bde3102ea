import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AgentQuestion } from "../base/question.ts";
import { type ReportHeader, type ReportWaiting, waitingOf } from "../api/report/model.ts";
import { type Chosen, composeReplies, isComplete } from "./reply.ts";
import { errorText, shownLine, shownText, timeOfDay } from "./show.ts";

/** Nobody has read a question within this time: a click that was meant for something else does not answer it. */
const UNREAD_MS = 700;

/** A run that is executed takes an answer at once; after this time another one may be tried. */
const UNTAKEN_MS = 10_000;

interface GivenFromPage {
  readonly question: string;
  readonly answer: string;
  readonly fingerprint?: string;
}

export function Questions({ header, onAnswer }: {
  readonly header: ReportHeader;
  readonly onAnswer: (answer: GivenFromPage) => Promise<unknown>;
}) {
  return (
    <>
      {waitingOf(header).map((waiting, place) => (
        <Question key={keyOf(waiting)} waiting={waiting} place={place} onAnswer={onAnswer} />
      ))}
    </>
  );
}

export function keyOf({ id, by, fingerprint, askedAt }: ReportWaiting): string {
  return [id, by, fingerprint, askedAt].join(" ");
}

function Question({ waiting, place, onAnswer }: {
  readonly waiting: ReportWaiting;
  readonly place: number;
  readonly onAnswer: (answer: GivenFromPage) => Promise<unknown>;
}) {
  const title = useId();
  const section = useRef<HTMLElement>(null);
  const [readAt, setReadAt] = useState<number>();
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState("");
  // One that moves up is where another one was: a click that was meant for that one does not answer it.
  useEffect(() => {
    const timer = setTimeout(() => setReadAt(place), UNREAD_MS);
    return () => clearTimeout(timer);
  }, [place]);
  useLayoutEffect(() => {
    const own = section.current!;
    return () => own.contains(document.activeElement) && focusAfter(own);
  }, []);
  useEffect(() => {
    if (!isSent) return;
    const timer = setTimeout(() => setSent(false), UNTAKEN_MS);
    return () => clearTimeout(timer);
  }, [isSent]);
  const { id, by, text, askedAt, answered, answer, fingerprint, dialog } = waiting;
  const send = async (words: string) => {
    setSent(true);
    setProblem("");
    // Its buttons cannot have the focus any longer.
    section.current?.focus();
    try {
      await onAnswer({ question: id!, answer: words, ...fingerprint === undefined ? {} : { fingerprint } });
    } catch (error) {
      setSent(false);
      setProblem(errorText(error));
    }
  };
  const form = { isReady: readAt === place && !isSent && !answered, send };
  return (
    <section class="question caution" aria-labelledby={title} ref={section} tabIndex={-1}>
      <h2 id={title} class="flow">
        {shownLine(by)} {answer === "permission" ? "asks for permission" : "asks"}
        <time class="quiet" dateTime={askedAt}>since {timeOfDay(askedAt)}</time>
      </h2>
      {dialog?.subject === undefined
        ? null
        : <pre class="source subject" tabIndex={0}>{shownText(dialog.subject)}</pre>}
      <p class="words">{shownText(dialog?.subject === undefined ? text : dialog.reason)}</p>
      {answered
        ? <p class="quiet">It has an answer, which the run has not taken yet.</p>
        : answer === "permission"
        ? <Permission {...form} shown={waiting.shown} />
        : answer === "question"
        ? <FreeText {...form} />
        : answer === "choices"
        ? <Choices {...form} questions={dialog?.questions ?? []} />
        : <p class="quiet">It can only be answered in the agent's pane: panewright attach</p>}
      {isSent && !answered ? <p class="quiet" role="status">Sent. The run has not taken it yet.</p> : null}
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
    </section>
  );
}

/** Where a person continues whose question is gone: at the next one, or else at the top of the page. */
function focusAfter(gone: HTMLElement): void {
  const others = [...document.querySelectorAll<HTMLElement>(".question")].filter((one) => one !== gone);
  const next = others.find((one) => gone.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  (next ?? others[0] ?? document.querySelector("main"))?.focus({ preventScroll: true });
}

interface FormProps {
  readonly isReady: boolean;
  readonly send: (words: string) => void;
}

function Permission({ isReady, send, shown }: FormProps & Pick<ReportWaiting, "shown">) {
  const [reason, setReason] = useState("");
  return (
    <form class="answer flow" onSubmit={(event) => event.preventDefault()}>
      {shown === "whole"
        ? <button type="button" class="main-act" disabled={!isReady} onClick={() => send("yes")}>Yes, once</button>
        : (
          <p class="quiet">
            {shown === "masked" ? "A secret in it is masked" : "Not all of it can be shown"}: a yes is not taken.
          </p>
        )}
      <button
        type="button"
        class="bad-act"
        disabled={!isReady}
        onClick={() => send(reason.trim() === "" ? "no" : `no, ${reason.trim()}`)}
      >
        No
      </button>
      <label class="reason">
        <span class="small">What to do instead, with a no</span>
        <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
    </form>
  );
}

function FreeText({ isReady, send }: FormProps) {
  const [words, setWords] = useState("");
  return (
    <form
      class="answer flow"
      onSubmit={(event) => {
        event.preventDefault();
        send(words);
      }}
    >
      <label class="reason">
        <span class="small">Answer</span>
        <textarea rows={3} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <button type="submit" class="main-act" disabled={!isReady || words.trim() === ""}>Send</button>
    </form>
  );
}

const NOTHING: Chosen = { choices: [], text: "" };

function Choices({ isReady, send, questions }: FormProps & { readonly questions: readonly AgentQuestion[] }) {
  const [chosen, setChosen] = useState<readonly Chosen[]>(() => questions.map(() => NOTHING));
  const change = (index: number, to: Chosen) => setChosen(chosen.with(index, to));
  return (
    <form
      class="answer choices"
      onSubmit={(event) => {
        event.preventDefault();
        send(composeReplies(chosen));
      }}
    >
      {questions.map((question, index) => (
        <OneQuestion
          key={index}
          question={question}
          name={`question-${index}`}
          chosen={chosen[index] ?? NOTHING}
          onChange={(to) => change(index, to)}
        />
      ))}
      <button type="submit" class="main-act" disabled={!isReady || !isComplete(questions, chosen)}>Send</button>
    </form>
  );
}

function OneQuestion({ question: { question, options, multiSelect }, name, chosen, onChange }: {
  readonly question: AgentQuestion;
  readonly name: string;
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}) {
  const choose = (at: number, is: boolean) => {
    const others = multiSelect ? chosen.choices.filter((one) => one !== at) : [];
    const choices = (is ? [...others, at] : others).toSorted((one, other) => one - other);
    onChange({ choices, text: multiSelect ? chosen.text : "" });
  };
  return (
    <fieldset>
      <legend>{shownText(question)}</legend>
      {options.map(({ label, description }, at) => (
        <label class="choice" key={at}>
          <input
            type={multiSelect ? "checkbox" : "radio"}
            name={name}
            checked={chosen.choices.includes(at)}
            onChange={(event) => choose(at, event.currentTarget.checked)}
          />
          <span>
            {shownLine(label)}
            {description === "" ? null : <span class="quiet about-choice">{shownText(description)}</span>}
          </span>
        </label>
      ))}
      <label class="reason">
        <span class="small">{multiSelect ? "In your own words, too" : "Or in your own words"}</span>
        <input
          value={chosen.text}
          maxLength={500}
          onInput={(event) => {
            const text = event.currentTarget.value;
            onChange({ choices: multiSelect || text === "" ? chosen.choices : [], text });
          }}
        />
      </label>
    </fieldset>
  );
}
