// Normalizes strings for comparison (case, accents, punctuation), and cleans them for storage.

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

/** 'Saint-Étienne' and 'St. Etienne' become equal. Words are separated by one space. */
export function normalizeName(text: string): string {
  // Fast path for most names.
  if (/^[A-Za-z]+(?: [A-Za-z]+)*$/.test(text)) return joined(text.toLowerCase().split(" "));
  const letters = text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => ownLetters[letter] ?? letter)
    // Apostrophes do not separate words, as in 'Xi'an' and 'N'Djamena'.
    .replaceAll(/['’‘`ʻʼ]/g, "");
  return joined(letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ""));
}

function joined(words: string[]): string {
  return words.map((word) => (saints.has(word) ? "st" : word)).join(" ");
}

/** Replaces umlauts that were typed as two letters ('Koeln', 'Duesseldorf') by plain vowels. Null if there are none. */
export function withoutUmlautDigraphs(normalized: string): string | null {
  const plain = normalized.replaceAll(/([aou])e/g, "$1");
  return plain === normalized ? null : plain;
}

/** Removes repeated spaces, and characters that the input rule refuses; null if nothing is left. */
export function cleanText(text: string | null | undefined, max: number): string | null {
  if (!text) return null;
  const plain = text
    .slice(0, max * 4)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[<>[\]{}\p{C}\p{Zl}\p{Zp}\uFFFD]+/gu, " ")
    // Removes runs of combining marks that are longer than any script needs.
    .replaceAll(/\p{M}{6,}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  let cut = plain.slice(0, max);
  // Must not end within a surrogate pair.
  if (!cut.isWellFormed()) cut = cut.slice(0, -1);
  return cut.trim() || null;
}
