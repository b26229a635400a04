// Parses typed or pasted codes in any case, with gaps or dashes, or within a link.
import { normalizeClaimingCode } from "@psp/contract/claim/claim.ts";

/** Removes separators, which users type but codes never contain. */
const plain = (text: string) => normalizeClaimingCode(text.replaceAll(/[\s\p{Pd}_.]/gu, ""));

/** Codes of a link with any host, because pasting is intentional. */
const inLink = /[?&](?:code|c)=([^&#\s]*)/gi;

/** The codes of a link, or the text itself if it isn't a link. Empty if the link has no codes. */
export function parseTypedCodes(text: string): string[] {
  const isLink = /[:/?&=#]/.test(text);
  const found = isLink ? [...text.matchAll(inLink)].map(([, code = ""]) => decoded(code)) : [text];
  return [...new Set(found.map(plain))].filter((code) => code !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
