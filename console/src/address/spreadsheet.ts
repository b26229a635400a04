// Query parameters for CSV files that open correctly in spreadsheets of the browser's region.
import type { CsvStyleQuery, SeparatorName } from "@psp/contract/kit/csv-style.ts";

/** Locales with decimal commas use semicolons. Some systems report invalid locales, which get commas. */
export function csvSeparator(locale: string): SeparatorName {
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

export const localCsvStyle = (): CsvStyleQuery => ({ style: "people", separator: csvSeparator(navigator.language) });
