// Tests that the inline script preloads the first page behind the login, but only for users with a session.
import { afterEach, expect, test } from "vitest";
import { start, type StartPlan } from "./start.ts";

const plan: StartPlan = {
  styles: [],
  chunks: [],
  frame: ["frame.js"],
  pages: [
    ["^/elsewhere$", ["elsewhere.js"], []],
    ["^/", ["page.js"], ["ids.woff2"]],
  ],
  fonts: ["words.woff2"],
};

const links = () => [...document.head.querySelectorAll<HTMLLinkElement>("link[href$='.js'], link[href$='.woff2']")];

function preloadedBy(config: object): string[] {
  const given = Object.assign(document.createElement("script"), { id: "config", type: "application/json" });
  given.textContent = JSON.stringify(config);
  document.head.append(given);
  const before = new Set(links());
  start(plan);
  given.remove();
  const added = links().filter((link) => !before.has(link));
  for (const link of added) link.remove();
  return added.map((link) => new URL(link.href).pathname);
}

const kept = globalThis.__CONFIG__;
afterEach(() => {
  globalThis.__CONFIG__ = kept;
  delete document.documentElement.dataset["frame"];
});

test("with a session the page shows its frame and preloads chunks and fonts of its first page", () => {
  expect(preloadedBy({ session: true })).toEqual(["/frame.js", "/page.js", "/words.woff2", "/ids.woff2"]);
  expect(document.documentElement.dataset["frame"]).toBe("");
});

test("without a session nothing is preloaded but the start", () => {
  for (const config of [{ session: false }, { session: null }, {}]) expect(preloadedBy(config)).toEqual([]);
  expect(document.documentElement.dataset["frame"]).toBeUndefined();
});
