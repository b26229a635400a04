// What the product leaves in a browser, compared with what the data protection policy lists.
import type { Page } from "@playwright/test";

/** Names of all that this tab and its browser keep: cookies, both storages, databases, caches, service workers. */
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

/** What is kept, and of it what no row of the policy names; a name that ends with … stands for all that begin with it. */
export async function compareKept(page: Page): Promise<{ kept: string[]; unlisted: string[] }> {
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
