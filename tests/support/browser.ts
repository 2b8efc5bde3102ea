import { tempDir } from "./temp_dir.ts";
import { until } from "./until.ts";

/** Where Debian has Chromium. */
const CHROMIUM = "/usr/bin/chromium";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--remote-debugging-port=0",
];

/** Why no browser can be used here; undefined where one can. */
export async function whyNoBrowser(): Promise<string | undefined> {
  const isThere = await Deno.stat(CHROMIUM).then(({ isFile }) => isFile, () => false);
  return isThere ? undefined : `there is no ${CHROMIUM}: install Debian's chromium`;
}

/** A headless Chromium, with an empty profile; gone when it is disposed of. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens an empty page. */
  newPage(options?: PageOptions): Promise<TestPage>;
}

/** How a page is shown. */
export interface PageOptions {
  /** @default {1280} */
  readonly width?: number;
  /** @default {900} */
  readonly height?: number;
  /** Whether it is a phone: touch, and its own scale. @default {false} */
  readonly mobile?: boolean;
  /** @default {"light"} */
  readonly scheme?: "light" | "dark";
  /** Where its reader is. @default {"UTC"} */
  readonly timeZone?: string;
}

/** What Chromium tells assistive software of an element. */
export interface AccessibleNode {
  readonly role: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A page of the browser. */
export interface TestPage {
  /** Addresses that were asked for, besides the page's own. */
  readonly requests: readonly string[];
  /** What went wrong in the page: exceptions, and what a policy has refused. */
  readonly problems: readonly string[];
  goto(url: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression in the page is true. */
  until(expression: string): Promise<void>;
  /** Clicks the middle of the first element that matches, as a mouse does. */
  click(selector: string): Promise<void>;
  /** Clicks a place of the page. */
  clickAt(place: { readonly x: number; readonly y: number }): Promise<void>;
  /** Presses a key, by its name: `ArrowDown`, `Enter`, `Tab`. */
  press(key: string): Promise<void>;
  /** Types into what has the focus. */
  type(text: string): Promise<void>;
  /** The visible text of the first element that matches. */
  textOf(selector: string): Promise<string>;
  accessibility(): Promise<readonly AccessibleNode[]>;
  picture(path: string): Promise<void>;
  pdf(path: string): Promise<void>;
}

// deno-lint-ignore no-explicit-any -- answers of a protocol with hundreds of methods
type Answer = any;

/** Starts a browser. */
export async function startBrowser(): Promise<TestBrowser> {
  const profile = await tempDir();
  const child = new Deno.Command(CHROMIUM, {
    args: [...FLAGS, `--user-data-dir=${profile.path}`, "about:blank"],
    clearEnv: true,
    env: { HOME: profile.path, PATH: "/usr/bin:/bin", LANG: "C.UTF-8", TZ: "UTC" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const address = await until(async () => {
    const text = await Deno.readTextFile(`${profile.path}/DevToolsActivePort`).catch(() => "");
    const [port, path] = text.split("\n");
    return path === undefined || path === "" ? undefined : `ws://127.0.0.1:${port}${path}`;
  });
  const socket = new WebSocket(address!);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const protocol = speak(socket);
  return {
    newPage: (options = {}) => openPage(protocol, options),
    async [Symbol.asyncDispose]() {
      await protocol.send("Browser.close");
      if (socket.readyState !== WebSocket.CLOSED) await new Promise((resolve) => socket.onclose = resolve);
      await child.status;
      await profile[Symbol.asyncDispose]();
    },
  };
}

interface Protocol {
  send(method: string, params?: object, session?: string): Promise<Answer>;
  on(session: string, listener: (method: string, params: Answer) => void): void;
}

/** The Chrome DevTools Protocol: numbered requests, and events by session. */
function speak(socket: WebSocket): Protocol {
  const asked = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  const listeners = new Map<string, (method: string, params: Answer) => void>();
  let count = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(data);
    if (id === undefined) return listeners.get(sessionId)?.(method, params);
    const { resolve, reject } = asked.get(id)!;
    asked.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`${error.message}: ${error.data ?? ""}`));
  };
  return {
    send(method, params = {}, sessionId) {
      const id = ++count;
      socket.send(JSON.stringify({ id, method, params, ...sessionId === undefined ? {} : { sessionId } }));
      return new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
    },
    on: (session, listener) => listeners.set(session, listener),
  };
}

const KEY_CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  " ": 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  Delete: 46,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

async function openPage(protocol: Protocol, options: PageOptions): Promise<TestPage> {
  const { width = 1280, height = 900, mobile = false, scheme = "light", timeZone = "UTC" } = options;
  const { targetId } = await protocol.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await protocol.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params = {}) => protocol.send(method, params, sessionId);
  const requests: string[] = [];
  const problems: string[] = [];
  let url = "";
  protocol.on(sessionId, (method, params) => {
    if (method === "Network.requestWillBeSent" && params.request.url !== url) requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") {
      problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    if (method === "Log.entryAdded" && params.entry.level === "error") problems.push(params.entry.text);
  });
  for (const domain of ["Page", "Runtime", "Network", "Log", "Accessibility"]) await send(`${domain}.enable`);
  await send("Emulation.setDeviceMetricsOverride", { width, height, mobile, deviceScaleFactor: mobile ? 2 : 1 });
  await send("Emulation.setTimezoneOverride", { timezoneId: timeZone });
  await send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }],
  });

  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    return result.value;
  };
  const page: TestPage = {
    requests,
    problems,
    evaluate,
    async goto(to) {
      url = to.replace(/#.*/, "");
      const { errorText } = await send("Page.navigate", { url: to });
      if (errorText !== undefined) throw new Error(`Cannot open ${to}: ${errorText}`);
      await page.until(`document.readyState === "complete"`);
    },
    async until(expression) {
      await until(async () => await evaluate<boolean>(expression).catch(() => false) || undefined);
    },
    async click(selector) {
      const box = await evaluate<{ x: number; y: number } | null>(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)});
        if (element === null) return null;
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = element.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      })()`);
      if (box === null) throw new Error(`Cannot click ${selector}: there is none`);
      await page.clickAt(box);
    },
    async clickAt({ x, y }) {
      const at = { x, y, button: "left", clickCount: 1 };
      await send("Input.dispatchMouseEvent", { ...at, type: "mousePressed" });
      await send("Input.dispatchMouseEvent", { ...at, type: "mouseReleased" });
    },
    async press(key) {
      const code = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: KEY_CODES[key] ?? 0 };
      const text = key === "Enter" ? { text: "\r" } : key.length === 1 ? { text: key } : {};
      await send("Input.dispatchKeyEvent", { ...code, ...text, type: key === "Tab" ? "rawKeyDown" : "keyDown" });
      await send("Input.dispatchKeyEvent", { ...code, type: "keyUp" });
    },
    type: (text) => send("Input.insertText", { text }),
    textOf: (selector) => evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`),
    async accessibility() {
      const { nodes } = await send("Accessibility.getFullAXTree");
      return nodes.filter(({ ignored }: Answer) => !ignored).map(({ role, name, properties = [] }: Answer) => ({
        role: role.value,
        name: name?.value ?? "",
        properties: Object.fromEntries(properties.map((one: Answer) => [one.name, one.value.value])),
      }));
    },
    async picture(path) {
      const { data } = await send("Page.captureScreenshot", { format: "png" });
      await Deno.writeFile(path, Uint8Array.fromBase64(data));
    },
    async pdf(path) {
      const { data } = await send("Page.printToPDF", { printBackground: false, preferCSSPageSize: true });
      await Deno.writeFile(path, Uint8Array.fromBase64(data));
    },
  };
  return page;
}
