// Tests the CSV separator by browser locale.
import { expect, test } from "vitest";
import { csvSeparator } from "./spreadsheet.ts";

test.each([
  ["de-DE", "semicolon"],
  ["de-AT", "semicolon"],
  ["fr-FR", "semicolon"],
  ["nl", "semicolon"],
  ["en-US", "comma"],
  ["en-GB", "comma"],
  ["ja-JP", "comma"],
  ["en-US@posix", "comma"],
  ["", "comma"],
])("files for spreadsheets of %s have a %s between cells", (locale, separator) => {
  expect(csvSeparator(locale)).toBe(separator);
});
