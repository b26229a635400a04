// Tests that contrast is sufficient in both schemes, and that the wrong scheme never flashes up.
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { afterEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-react";
import indexHtml from "../../../index.html?raw";
import { AppTheme, useThemeMode } from "./AppTheme.tsx";
import { darkPalette, lightPalette } from "./palette.ts";
import { DensityProvider, rowHeight, useDensity } from "./density.tsx";

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

type Colored = { main: string; contrastText: string };

test.each([
  ["light", lightPalette],
  ["dark", darkPalette],
] as const)(
  "%s: text, links and states are readable on every surface (4.5:1), and so are filled buttons",
  (_, palette) => {
    const surfaces = [
      palette.background?.default,
      palette.background?.paper,
      palette.action?.hover,
      palette.action?.selected,
    ];
    const inks = [palette.text?.primary, palette.text?.secondary];
    const states = [palette.primary, palette.error, palette.warning, palette.success, palette.info] as Colored[];
    for (const surface of surfaces) {
      for (const ink of [...inks, ...states.map((state) => state.main)]) {
        expect(contrast(String(ink), String(surface)), `${ink} on ${surface}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    for (const state of states)
      expect(contrast(state.main, state.contrastText), state.main).toBeGreaterThanOrEqual(4.5);
  },
);

test("a required field is marked without a word: its label is its name and nothing else", async () => {
  const screen = await render(
    <AppTheme>
      <TextField label="Name" required />
      <TextField label="Tags" />
    </AppTheme>,
  );
  await expect.element(screen.getByLabelText("Name", { exact: true })).toBeVisible();
  const labels = [...document.querySelectorAll("label")];
  expect(labels.map((label) => label.textContent)).toEqual(["Name", "Tags"]);
  expect(labels.map((label) => getComputedStyle(label, "::after").width)).toEqual(["7px", "auto"]);
});

afterEach(() => {
  document.documentElement.removeAttribute("data-theme");
});

/** Runs the script of index.html that precedes the first paint. */
function beforePaint() {
  const scripts = new DOMParser().parseFromString(indexHtml, "text/html").querySelectorAll("head script");
  const inline = [...scripts].filter((script) => script.textContent.trim() !== "");
  expect(scripts[0]?.getAttribute("src")).toBe("/config.js");
  expect(inline).toHaveLength(1);
  document.documentElement.removeAttribute("data-theme");
  const script = document.createElement("script");
  script.textContent = inline[0]?.textContent ?? "";
  document.head.append(script);
  script.remove();
  return document.documentElement.getAttribute("data-theme");
}

function Switcher() {
  const { setMode, resolved } = useThemeMode();
  return (
    <>
      <output>{resolved}</output>
      <Button onClick={() => setMode("dark")}>Dark</Button>
      <Button onClick={() => setMode("system")}>System</Button>
    </>
  );
}

test("the chosen scheme is kept and set before the first paint; without a choice the system decides", async () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  expect(beforePaint()).toBe(system);
  await render(
    <AppTheme>
      <Switcher />
    </AppTheme>,
  );
  await page.getByRole("button", { name: "Dark" }).click();
  await expect.element(page.getByText("dark", { exact: true })).toBeVisible();
  expect(getComputedStyle(document.body).backgroundColor).toBe("rgb(13, 18, 18)");
  expect(beforePaint()).toBe("dark");
  await page.getByRole("button", { name: "System" }).click();
  await expect.element(page.getByText(system, { exact: true })).toBeVisible();
  expect(beforePaint()).toBe(system);
});

test("density is reported to the one that keeps the settings", async () => {
  const kept: string[] = [];
  function Rows() {
    const { density, setDensity } = useDensity();
    return <button onClick={() => setDensity("compact")}>{`${rowHeight(density)} px`}</button>;
  }
  await render(
    <DensityProvider onChange={(density) => kept.push(density)}>
      <Rows />
    </DensityProvider>,
  );
  await page.getByRole("button", { name: "40 px" }).click();
  await expect.element(page.getByRole("button", { name: "32 px" })).toBeVisible();
  expect(kept).toEqual(["compact"]);
});
