// Mails use the colors of the console's light palette, with sufficient contrast.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderMail } from "./layout.ts";

const { html } = renderMail({
  subject: "Welcome",
  paragraphs: ["Words"],
  action: { label: "Open", link: "https://console.example.com/x" },
  note: "Small print",
});
const palette = readFileSync(join(import.meta.dirname, "../../../console/src/ui/theme/palette.ts"), "utf8");
const light = /lightPalette.*?\n\};/s.exec(palette)?.[0] ?? "";
const primary = /primary: \{ main: "(#[0-9a-f]{6})"/.exec(light)?.[1] ?? "";

/** WCAG contrast ratio. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) =>
    [1, 3, 5]
      .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, n) => sum + part * ([0.2126, 0.7152, 0.0722][n] ?? 0), 0);
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

test("RG-01 AU-04 mails use only the console's colors, with its primary one on button and name", () => {
  const used = new Set(html.match(/#[0-9a-f]{6}\b/gi));
  expect(used.size).toBeGreaterThan(4);
  for (const color of used) expect(light, color).toContain(`"${color}"`);
  expect(/<a [^>]*background:(#[0-9a-f]{6})/.exec(html)?.[1]).toBe(primary);
  expect(/color:(#[0-9a-f]{6})">PS\.Platform/.exec(html)?.[1]).toBe(primary);
});

test("RG-01 AU-04 every text of a mail has a contrast of at least 4.5 to 1", () => {
  const grounds = ["#ffffff", /<body[^>]*background:(#[0-9a-f]{6})/.exec(html)?.[1] ?? ""];
  const texts = [...html.matchAll(/[;"]color:(#[0-9a-f]{6})/g)]
    .map((match) => match[1] ?? "")
    .filter((color) => color !== "#ffffff");
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts)
    for (const ground of grounds) expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThan(4.5);
  const button = /<a [^>]*background:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/.exec(html);
  expect(contrast(button?.[1] ?? "", button?.[2] ?? "")).toBeGreaterThan(4.5);
});
