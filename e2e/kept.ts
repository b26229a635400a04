// Compares browser storage with the privacy policy.
import type { Page } from "@playwright/test";

/** Names of cookies, local and session storage, databases, caches and service workers. */
async function keptIn(page: Page): Promise<string[]> {
  const cookies = await page.context().cookies();
  const others = await page.evaluate<string[]>(`(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => "database " + name),
    ...(await caches.keys()).map((name) => "cache " + name),
    ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => "service worker " + scope),
  ])()`);
  return [...new Set([...cookies.map(({ name }) => name), ...others])];
}

/** `kept` has all stored names, `unlisted` those that the policy doesn't list. A listed name that ends with … is a prefix. */
export async function compareStorage(page: Page): Promise<{ kept: string[]; unlisted: string[] }> {
  const kept = await keptIn(page);
  const policy = await page.context().newPage();
  await policy.goto("/privacy");
  await policy.getByRole("table").waitFor();
  const listed = await policy.getByRole("table").locator("tbody tr td:first-child").allInnerTexts();
  await policy.close();
  const isListed = (name: string) =>
    listed.some((one) => (one.endsWith("…") ? name.startsWith(one.slice(0, -1)) : name === one));
  return { kept, unlisted: kept.filter((name) => !isListed(name)) };
}
