// Reads numbers as spreadsheets in different countries write them (docs/rules/sales.md#numbers-in-files).

/** Spaces and apostrophes between groups of digits. */
const groupSigns = /(?<=\d)['’\u00a0\u202f ](?=\d{3}(?!\d))/g;
const thousands = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/;

/**
 * Returns the number, or null. One sign with three digits behind it, as in `1.234`, is ambiguous: null, unless `isPrecise`, where it is
 * a decimal sign.
 */
export function parseDecimal(cell: string, isPrecise = false): number | null {
  const text = cell.trim().replaceAll(groupSigns, "");
  const [, sign = "", digits = ""] = /^([+-]?)([\d.,]{1,30})$/.exec(text) ?? [];
  const plain = toPlainDigits(digits, isPrecise);
  if (plain === null) return null;
  return sign === "-" ? -Number(plain) : Number(plain);
}

function toPlainDigits(digits: string, isPrecise: boolean): string | null {
  if (/^\d+$/.test(digits)) return digits;
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const whole = digits.slice(0, last);
  const fraction = digits.slice(last + 1);
  if (/^\d+$/.test(whole)) {
    if (!/^\d+$/.test(fraction)) return null;
    return fraction.length === 3 && whole.length <= 3 && whole !== "0" && !isPrecise ? null : `${whole}.${fraction}`;
  }
  // Several groups, as in `1.234.567` or `1,234.56`.
  if (thousands.test(digits)) return digits.replaceAll(/[.,]/g, "");
  const isGrouped = thousands.test(whole) && !whole.includes(digits[last] ?? "") && /^\d+$/.test(fraction);
  return isGrouped ? `${whole.replaceAll(/[.,]/g, "")}.${fraction}` : null;
}

let precise: ReadonlyMap<string, boolean> = new Map();

/** Whether amounts of a currency have three decimal places, such as the Kuwaiti dinar. */
export function isPreciseCurrency(code: string): boolean {
  const known = precise.get(code);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency: code,
  }).resolvedOptions();
  precise = new Map([...precise, [code, maximumFractionDigits === 3]]);
  return maximumFractionDigits === 3;
}
