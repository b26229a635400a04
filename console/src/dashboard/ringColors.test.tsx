// Tests that color-blind users can distinguish the chart colors, also in grayscale.
import { expect, test } from "vitest";
import { render } from "vitest-browser-react";
import { AppTheme } from "../ui/theme/AppTheme.tsx";
import { darkPalette, lightPalette } from "../ui/theme/palette.ts";
import { seriesColors } from "../ui/chart/slots.ts";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { ringColors } from "./ringColors.ts";

type Three = readonly [number, number, number];
const gray: Three = [0.2126, 0.7152, 0.0722];

// cspell:disable-next-line
/** Linear RGB matrices for the three kinds of dichromacy after Machado, Oliveira and Fernandes (2009). */
const eyes: Record<string, readonly [Three, Three, Three]> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  "no red cones": [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  "no green cones": [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  "no blue cones": [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  "gray paper": [gray, gray, gray],
};

const dot = (row: Three, color: Three) => row[0] * color[0] + row[1] * color[1] + row[2] * color[2];
const three = (of: (at: 0 | 1 | 2) => number): Three => [of(0), of(1), of(2)];

function seenBy(eye: readonly [Three, Three, Three], hex: string): Three {
  const linear = three((at) => {
    const part = Number.parseInt(hex.slice(1 + 2 * at, 3 + 2 * at), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return three((at) => Math.min(1, Math.max(0, dot(eye[at], linear))));
}

/** Converts linear RGB to CIE L*a*b* with white point D65. */
function lab(color: Three): Three {
  const root = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = root(dot([0.4124, 0.3576, 0.1805], color) / 0.95047);
  const y = root(dot(gray, color));
  const z = root(dot([0.0193, 0.1192, 0.9505], color) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Minimum color difference; 2 is barely noticeable, 9 is clear for small squares. */
const apart = 9;

const charts: Record<string, readonly string[]> = {
  "series of counts": seriesColors.loud,
  "series that others are compared with": seriesColors.quiet,
  ...Object.fromEntries(Object.entries(ringColors).map(([ring, parts]) => [`ring by ${ring}`, Object.values(parts)])),
};

test.each([
  ["light", lightPalette],
  ["dark", darkPalette],
] as const)("%s: the colors of one chart stay apart without red, green or blue cones, and in gray", (_, palette) => {
  const groups = palette as unknown as Record<string, Record<string, string>>;
  const hexOf = (key: string) => groups[key.split(".")[0] ?? ""]?.[key.split(".")[1] ?? ""] ?? "";
  const alike = Object.entries(charts).flatMap(([chart, keys]) =>
    keys.flatMap((one, at) =>
      keys.slice(0, at).flatMap((other) =>
        Object.entries(eyes).flatMap(([name, eye]) => {
          const [a, b] = [lab(seenBy(eye, hexOf(one))), lab(seenBy(eye, hexOf(other)))];
          const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          return distance >= apart ? [] : [`${chart}, ${name}: ${one} and ${other} differ by ${distance.toFixed(1)}`];
        }),
      ),
    ),
  );
  expect(alike).toEqual([]);
});

test("every state has a shape of its own and its word beside it", async () => {
  const tones: readonly StatusTone[] = ["good", "warning", "bad", "off", "pending", "neutral"];
  const screen = await render(
    <AppTheme>
      {tones.map((tone) => (
        <StatusDot key={tone} tone={tone} label={`state ${tone}`} />
      ))}
    </AppTheme>,
  );
  for (const tone of tones) await expect.element(screen.getByText(`state ${tone}`)).toBeVisible();
  const shapes = [...screen.container.querySelectorAll("svg")].map((one) =>
    [...one.querySelectorAll("path, circle")].map((part) => part.getAttribute("d") ?? "ring").join(" "),
  );
  expect(new Set(shapes).size).toBe(tones.length);
});
