// Tests that text is readable on every color (WCAG 1.4.3).
import { expect, test } from "vitest";
import { contrast, isHexColor, readableTextColor } from "./light.colors.ts";

test("black on white is 21 to 1, teal on white what the style guide says", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#49bbb4", "#ffffff")).toBeCloseTo(2.3, 1);
});

test("OC-03 black or white: whichever it is, it stands out by 4.5 at least", () => {
  const parts = ["00", "33", "59", "76", "77", "99", "bb", "ff"];
  for (const red of parts)
    for (const green of parts)
      for (const blue of parts) {
        const color = `#${red}${green}${blue}`;
        expect(contrast(color, readableTextColor(color)), color).toBeGreaterThan(4.5);
      }
});

test("what is no color", () => {
  expect(["#49bbb4", "#ABCDEF"].every(isHexColor)).toBe(true);
  expect(["", "#49bbb", "49bbb4", "red", "#49bbb4;", "#49bb 4"].some(isHexColor)).toBe(false);
});
