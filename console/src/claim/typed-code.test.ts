// Tests typed and pasted codes (CL-02).
import { expect, test } from "vitest";
import { parseTypedCodes } from "./typed-code.ts";

const label = "https://console.example.com/sensor/register";

test.each([
  ["k7mpq2xa", ["K7MPQ2XA"]],
  ["K7MP Q2XA", ["K7MPQ2XA"]],
  [" k7-mp–q2—xa\n", ["K7MPQ2XA"]],
  ["K7MP.Q2XA", ["K7MPQ2XA"]],
  ["k7m", ["K7M"]],
  ["", []],
  [" - ", []],
  [`${label}?code=K7MPQ2XA`, ["K7MPQ2XA"]],
  [`${label.toUpperCase()}?CODE=K7MPQ2XA`, ["K7MPQ2XA"]],
  ["console.example.com/#/sensor/register?c=k7mp-q2xa", ["K7MPQ2XA"]],
  [`${label}?mode=type&c=AAAA2222&code=BBBB2222&c=AAAA2222#top`, ["AAAA2222", "BBBB2222"]],
  [`${label}?code=%4B7MPQ2XA`, ["K7MPQ2XA"]],
  [`${label}?code=100%`, ["100%"]],
  [`${label}?codes=K7MPQ2XA`, []],
  [label, []],
])("CL-02 %j holds the codes %j", (text, codes) => {
  expect(parseTypedCodes(text)).toEqual(codes);
});
