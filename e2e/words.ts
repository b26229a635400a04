// What a page says in passing: toasts, "Saved", verdicts, steps. It is kept the moment it shows, so that no look comes too late.

import { expect, type Page } from "@playwright/test";

/** Runs in the page: one entry for each text of a live region, with when it came and when it went, in the page's own time. */
const keeper = `(() => {
  const said = [];
  // A page that gets no processor takes nothing away either: how long it stood still is counted, so that it can be taken off.
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

/** From the next address on, this page keeps what it says. */
export async function keepWords(page: Page): Promise<void> {
  await page.addInitScript(keeper);
}

/** What was said so far does not count any more. */
export async function forgetWords(page: Page): Promise<void> {
  await page.evaluate("globalThis.forgetWords()");
}

/** The page says so now, or has said so since it was loaded and was not asked for it yet. */
export async function expectSaid(page: Page, words: string, more: { timeout?: number } = {}): Promise<void> {
  const ask = `globalThis.takeWords(${JSON.stringify(words)})`;
  await expect.poll(() => page.evaluate<boolean>(ask), { message: `the page says "${words}"`, ...more }).toBe(true);
}

/** How long something was said: in all, and without the time in which the page stood still. */
type Lasted = { ms: number; msAwake: number };

/** Waits until it is said no more. */
export async function saidFor(page: Page, words: string): Promise<Lasted> {
  const ask = `globalThis.wordsLasted(${JSON.stringify(words)})`;
  await expect
    .poll(() => page.evaluate<Lasted | null>(ask), { message: `the page stops saying "${words}"` })
    .not.toBe(null);
  return (await page.evaluate<Lasted | null>(ask)) ?? { ms: Infinity, msAwake: Infinity };
}
