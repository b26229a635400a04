// Texts as they are compared: without case, accents and punctuation, and safe to be stored as they were typed.

const ownLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  æ: "ae",
  œ: "oe",
  ı: "i",
};
const saints = new Set(["saint", "sankt", "sint", "st"]);

/** 'Saint-Étienne' and 'St. Etienne' are the same; words are separated by one blank. */
export function fold(text: string): string {
  // Most names are nothing but letters and blanks.
  if (/^[A-Za-z]+(?: [A-Za-z]+)*$/.test(text)) return joined(text.toLowerCase().split(" "));
  const letters = text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => ownLetters[letter] ?? letter)
    // One word in 'Xi'an' and 'N'Djamena'.
    .replaceAll(/['’‘`ʻʼ]/g, "");
  return joined(letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ""));
}

function joined(words: string[]): string {
  return words.map((word) => (saints.has(word) ? "st" : word)).join(" ");
}

/** How umlauts are typed where there are none: 'Koeln', 'Duesseldorf'. Null when there is nothing to undo. */
export function withoutUmlautDigraphs(folded: string): string | null {
  const plain = folded.replaceAll(/([aou])e/g, "$1");
  return plain === folded ? null : plain;
}

/** What the input rule refuses is left out, blanks are single; null for what is then empty. */
export function plainText(text: string | null | undefined, max: number): string | null {
  if (!text) return null;
  const plain = text
    .slice(0, max * 4)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[<>[\]{}\p{C}\p{Zl}\p{Zp}\uFFFD]+/gu, " ")
    // More marks on one letter than any script writes.
    .replaceAll(/\p{M}{6,}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  let cut = plain.slice(0, max);
  // Not in the middle of a character.
  if (!cut.isWellFormed()) cut = cut.slice(0, -1);
  return cut.trim() || null;
}
