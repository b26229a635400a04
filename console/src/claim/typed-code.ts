// What people type or paste where a registration code is asked for: a code in any case, with gaps and dashes, or the whole link of a label.
import { normalCode } from "@psp/contract/claim/claim.ts";

/** Codes of labels hold neither gaps nor dashes; people read them into eight characters. */
const plain = (text: string) => normalCode(text.replaceAll(/[\s\p{Pd}_.]/gu, ""));

/** The codes of a link, whatever host it names: what is pasted by hand is meant. */
const inLink = /[?&](?:code|c)=([^&#\s]*)/gi;

/** The codes in a text: those of a link, else the text itself; none where a link has none. */
export function typedCodes(text: string): string[] {
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
