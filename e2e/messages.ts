// Records short-lived texts such as toasts in the page, because a check from outside may come too late.

import { expect, type Page } from "@playwright/test";

/** Runs in the page. Records each text of a live region with its start and end time. */
const keeper = `(() => {
  const said = [];
  // Measures for how long the page was blocked, to subtract that time.
  let still = 0, beat = performance.now();
  const stoodStill = () => {
    const gap = performance.now() - beat;
    return still + (gap > 200 ? gap - 100 : 0);
  };
  setInterval(() => {
    still = stoodStill();
    beat = performance.now();
  }, 100);
  const look = () => {
    const now = [...document.querySelectorAll('[role="status"], [role="alert"]')]
      .filter((region) => region.checkVisibility())
      .map((region) => region.textContent.trim())
      .filter((text) => text !== "");
    const [at, stillAt] = [performance.now(), stoodStill()];
    for (const entry of said)
      if (entry.until === null && !now.includes(entry.text)) Object.assign(entry, { until: at, stillUntil: stillAt });
    for (const text of now)
      if (!said.some((entry) => entry.until === null && entry.text === text))
        said.push({ text, from: at, stillFrom: stillAt, until: null, asked: false });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  globalThis.forgetWords = () => {
    look();
    for (const entry of said) entry.asked = true;
  };
  globalThis.takeWords = (words) => {
    look();
    const entry = said.find(({ text, asked }) => !asked && text.includes(words));
    if (entry !== undefined) entry.asked = true;
    return entry !== undefined;
  };
  globalThis.wordsLasted = (words) => {
    look();
    const entry = said.findLast(({ text }) => text.includes(words));
    if (entry === undefined || entry.until === null) return null;
    const ms = entry.until - entry.from;
    return { ms, msAwake: ms - (entry.stillUntil - entry.stillFrom) };
  };
})()`;

/** Recording starts with the next navigation. */
export async function recordMessages(page: Page): Promise<void> {
  await page.addInitScript(keeper);
}

export async function clearMessages(page: Page): Promise<void> {
  await page.evaluate("globalThis.forgetWords()");
}

/** Expects a text that is displayed now or has been since the page load. Each recorded text counts only once. */
export async function expectMessage(page: Page, words: string): Promise<void> {
  const ask = `globalThis.takeWords(${JSON.stringify(words)})`;
  await expect.poll(() => page.evaluate<boolean>(ask), { message: `the page says "${words}"` }).toBe(true);
}

/** Total duration, and the part of it in which the page wasn't blocked. */
type Lasted = { ms: number; msAwake: number };

/** Waits until the text disappears. Resolves to how long it was displayed. */
export async function messageDuration(page: Page, words: string): Promise<Lasted> {
  const ask = `globalThis.wordsLasted(${JSON.stringify(words)})`;
  await expect
    .poll(() => page.evaluate<Lasted | null>(ask), { message: `the page stops saying "${words}"` })
    .not.toBe(null);
  return (await page.evaluate<Lasted | null>(ask)) ?? { ms: Infinity, msAwake: Infinity };
}
