// Names a client by its user agent, so that people recognize their devices. Only a hint, because user agents can be forged.

/** The first match wins, because many user agents also contain the names of later entries. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPad\b/, "iPad"],
  [/\biPhone\b/, "iPhone"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const nameIn = (list: typeof browsers, text: string) => list.find(([mark]) => mark.test(text))?.[1];

/** Returns "Chrome on Windows" for browsers, "curl" for scripts, or null if unknown. */
export function describeClient(userAgent: string | null): string | null {
  const text = userAgent ?? "";
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const script = /^(?!Mozilla\b)[\w.-]{1,40}(?=\/|$)/.exec(text)?.[0];
  return script ?? system ?? null;
}
