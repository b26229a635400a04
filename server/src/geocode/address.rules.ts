// Parses a typed address, in one line or with commas, and finds its city among the bundled places.
import { normalizeName } from "./fold.rules.ts";
import type { Gazetteer } from "./gazetteer.rules.ts";

export type ParsedAddress = { street: string | null; zip: string | null; ids: readonly number[] };

const nothing: ParsedAddress = { street: null, zip: null, ids: [] };
const maxParts = 8;
const maxWords = 16;
const minLetters = 2;

/** Postal codes beside a city, in the formats of most countries. */
const zipForms = [
  /(?:[A-Z]{1,3}-)?\d{5}(?:-\d{3,4})?/,
  /[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}/,
  /[A-Z]\d[A-Z] ?\d[A-Z]\d/,
  /\d{4} ?[A-Z]{2}/,
  /\d{2}-\d{3}/,
  /\d{4}-\d{3}/,
  /\d{3}-\d{4}/,
  /\d{3} \d{2}/,
  /(?:[A-Z]{1,3}-)?\d{4}/,
  /\d{6}/,
]
  .map((form) => form.source)
  .join("|");
const wholeZip = new RegExp(`^(?:${zipForms}|\\d{3})$`, "i");
const zipBefore = new RegExp(`(?:^|[ ])(${zipForms})$`, "i");
const zipAfter = new RegExp(`^(${zipForms})(?= |$)`, "i");

/** One interpretation of the text: which words are the city, which follow as its region, and which precede it as the street. */
type Reading = {
  ids: readonly number[];
  isExact: boolean;
  isConsistent: boolean;
  words: number;
  street: string | null;
  zip: string | null;
};

type Rest = { before: string; after: string; zip: string | null };

export function parseAddress(text: string, gazetteer: Gazetteer): ParsedAddress {
  const parts = partsOf(text);
  const readings = parts.flatMap((_, at) => readingsOf(parts, at, gazetteer));
  const [best] = readings.toSorted(
    (a, b) =>
      Number(b.isConsistent) - Number(a.isConsistent) ||
      b.words - a.words ||
      Number(b.isExact) - Number(a.isExact) ||
      // The last part is more likely the city than the street.
      readings.indexOf(b) - readings.indexOf(a),
  );
  return best ? { street: best.street, zip: best.zip, ids: best.ids } : nothing;
}

function partsOf(text: string): string[] {
  return text
    .split(/[,;|\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .slice(0, maxParts);
}

function readingsOf(parts: readonly string[], at: number, gazetteer: Gazetteer): Reading[] {
  const words = (parts[at] ?? "").split(/\s+/).slice(0, maxWords);
  const readings: Reading[] = [];
  for (let length = words.length; length > 0; length -= 1)
    for (let from = words.length - length; from >= 0; from -= 1) {
      const name = words.slice(from, from + length).join(" ");
      if (normalizeName(name).replaceAll(/[^\p{L}]/gu, "").length < minLetters) continue;
      const rest = restOf(words.slice(0, from).join(" "), words.slice(from + length).join(" "));
      const exact = gazetteer.exact(name);
      const begun = canBePrefix(rest) ? gazetteer.startingWith(name) : [];
      if (exact.length === 0 && begun.length === 0) continue;
      readings.push(readingOf(parts, at, { name, rest, exact, begun }, gazetteer));
    }
  return readings;
}

/**
 * Whether words may be the beginning of a longer city name: only if they are all words between two commas, or the last ones after a
 * number. Otherwise, 'Street' in 'Main Street' would match.
 */
function canBePrefix({ before, after, zip }: Rest): boolean {
  return after === "" && (before === "" || zip !== null || /\d\p{L}?$/u.test(before));
}

type Found = { name: string; rest: Rest; exact: readonly number[]; begun: readonly number[] };

function readingOf(
  parts: readonly string[],
  at: number,
  { name, rest, exact, begun }: Found,
  gazetteer: Gazetteer,
): Reading {
  const behind = [rest.after, ...parts.slice(at + 1)].filter((one) => one !== "").map((one) => restOf("", one));
  const said = behind.map(({ after }) => after).filter((one) => one !== "" && !wholeZip.test(one));
  // Parts with digits are streets, not regions, as in 'Stuttgart, Königstraße 5'.
  const [regions, streetsBehind] = [said.filter((one) => !/\d/.test(one)), said.filter((one) => /\d/.test(one))];
  const ahead = parts.slice(0, at).filter((one) => !wholeZip.test(one));
  const streets = [...ahead.filter((one) => !gazetteer.isCountry(one)), rest.before, ...streetsBehind];
  const street = streets.filter((one) => one !== "").join(", ");
  regions.push(...ahead.filter((one) => gazetteer.isCountry(one)));
  const fits = (id: number) => regions.every((region) => gazetteer.liesIn(id, region));
  const [fitting, fittingBegun] = [exact.filter(fits), begun.filter(fits)];
  const isConsistent = fitting.length > 0 || fittingBegun.length > 0;
  const isExact = isConsistent ? fitting.length > 0 : exact.length > 0;
  const shown = isConsistent ? fitting : exact;
  const more = isConsistent ? fittingBegun : begun;
  const zips = [rest.zip, ...behind.map(({ zip }) => zip), ...[...parts].filter((one) => wholeZip.test(one))];
  const zip = zips.find((one) => one !== null && one !== undefined) ?? null;
  const isBare = street === "" && zip === null && regions.length === 0;
  const understood = [name, ...regions].join(" ").split(/\s+/).length;
  return {
    // Places with longer names are offered only if the text is a bare name, or if no place has exactly this name.
    ids: [...new Set([...gazetteer.byRank(shown), ...(isBare || shown.length === 0 ? gazetteer.byRank(more) : [])])],
    isExact,
    isConsistent,
    words: isConsistent ? understood + (zip === null ? 0 : 1) : 0,
    street: street === "" ? null : street,
    zip,
  };
}

function restOf(before: string, after: string): Rest {
  const ahead = zipBefore.exec(before);
  const behind = zipAfter.exec(after);
  return {
    before: ahead ? before.slice(0, ahead.index).trim() : before,
    after: behind ? after.slice(behind[0].length).trim() : withoutLastZip(after),
    zip: ahead?.[1] ?? behind?.[1] ?? lastZip(after),
  };
}

/** 'NY 10118': the postal code follows the state. */
function lastZip(text: string): string | null {
  return zipBefore.exec(text)?.[1] ?? null;
}
function withoutLastZip(text: string): string {
  const found = zipBefore.exec(text);
  return found ? text.slice(0, found.index).trim() : text;
}
