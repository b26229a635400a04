// CSV files that open well in a double click: asked for in the style for people, as spreadsheets of the browser's region expect them.
import type { CsvStyleQuery, SeparatorName } from "@psp/contract/kit/csv-style.ts";

/** Where decimals have a comma, spreadsheets split at semicolons. A locale that can't be read, as of some systems, has none. */
export function separatorOf(locale: string): SeparatorName {
  const [known] = knownLocales(locale);
  const parts = new Intl.NumberFormat(known ?? "en").formatToParts(0.5);
  return parts.some(({ type, value }) => type === "decimal" && value === ",") ? "semicolon" : "comma";
}

function knownLocales(locale: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale);
  } catch {
    return [];
  }
}

export const csvForPeople = (): CsvStyleQuery => ({ style: "people", separator: separatorOf(navigator.language) });
