// Every part of the kit in both themes and on the phone, checked with axe against WCAG 2.2 AA.
import axe from "axe-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { renderInApp } from "../src/testing/render.tsx";
import { Showroom } from "./Showroom.tsx";

beforeEach(() => {
  document.documentElement.lang = "en";
  document.title = "Showroom";
});
afterEach(async () => {
  await page.viewport(1280, 800);
});

async function violations(): Promise<string[]> {
  const { violations: found } = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    rules: { region: { enabled: false } },
  });
  return found.flatMap((each) =>
    each.nodes.map((node) => `${each.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
  );
}

const openers: Record<string, () => Promise<void>> = {
  list: async () => undefined,
  selection: async () => {
    await page
      .getByRole("checkbox", { name: /^Select (Food|Car)/ })
      .first()
      .click();
  },
  form: async () => {
    await page.getByRole("button", { name: "Register Sensor" }).click();
    await expect.element(page.getByRole("dialog", { name: /Branch 01/ })).toBeVisible();
  },
  question: async () => {
    await page.getByRole("button", { name: "Confirm" }).click();
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
  },
  messages: async () => {
    await page.getByRole("button", { name: "Toasts" }).click();
    await expect.element(page.getByRole("alert")).toBeVisible();
  },
};

const cases = ["light", "dark"].flatMap((theme) => Object.keys(openers).map((part) => [part, theme] as const));

test.each(cases)("%s in %s has no accessibility violation", async (part, theme) => {
  localStorage.setItem("mui-mode", theme);
  await renderInApp(<Showroom />);
  await openers[part]?.();
  expect(await violations()).toEqual([]);
});

test.each(["list", "selection", "form"])(
  "%s on a phone has no accessibility violation and no sideways scroll",
  async (part) => {
    await page.viewport(360, 740);
    await renderInApp(<Showroom />);
    await openers[part]?.();
    expect(await violations()).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360);
  },
);
