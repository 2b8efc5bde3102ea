import { tokenIn, type TokenKeeper } from "./token.ts";

const KEY = "panewright-token";

/** Takes the token from the address, where it is, and removes it there, so that nobody reads or copies it by accident. */
export function createTokenKeeper(): TokenKeeper {
  let token = stored();
  const take = (text: string): boolean => {
    const found = tokenIn(text);
    if (found === undefined) return false;
    token = found;
    try {
      sessionStorage.setItem(KEY, found);
    } catch {
      // It is kept as long as the page is.
    }
    return true;
  };
  const takeFragment = () => {
    if (take(location.hash)) history.replaceState(history.state, "", location.pathname + location.search);
  };
  takeFragment();
  addEventListener("hashchange", takeFragment);
  return { current: () => token, take };
}

function stored(): string | undefined {
  try {
    return tokenIn(sessionStorage.getItem(KEY) ?? "");
  } catch {
    return undefined;
  }
}
