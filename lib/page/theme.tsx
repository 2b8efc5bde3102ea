import { useState } from "preact/hooks";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = typeof THEMES[number];
const KEY = "panewright-theme";

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(() => applied(storedTheme()));
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const change = () => {
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // A file, or a browser that keeps nothing: it holds for this view.
    }
    setTheme(applied(next));
  };
  return (
    <button type="button" class="theme" onClick={change} aria-label={`Colours: ${theme}. Change to ${next}`}>
      <span aria-hidden="true">{{ auto: "◐", light: "☀", dark: "☾" }[theme]}</span>
    </button>
  );
}

function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function applied(theme: Theme): Theme {
  document.documentElement.dataset["theme"] = theme;
  return theme;
}
