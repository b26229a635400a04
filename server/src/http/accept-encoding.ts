// Which form of an answer a client takes, by its Accept-Encoding (RFC 9110 §12.5.3).

export type Coding = "br" | "gzip" | "identity";

const quality = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The first of the codings offered that the client likes best; null when it takes none of them. A client that does not
 * name what it can read gets the answer as it is.
 */
export function chooseCoding(header: string | undefined, offered: readonly Coding[]): Coding | null {
  const weights = weightsOf(header ?? "");
  const others = weights.get("*");
  const weightOf = (coding: Coding) => {
    const said = weights.get(coding) ?? others;
    // Without a word about it the plain form is taken, but only when nothing named is on offer.
    return said ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  };
  let best: Coding | null = null;
  for (const coding of offered) if (weightOf(coding) > (best === null ? 0 : weightOf(best))) best = coding;
  return best;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = element.split(";").map((part) => part.trim());
    if (name === "") continue;
    const said = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // What can't be read is not wanted.
    weights.set(name === "x-gzip" ? "gzip" : name, quality.test(said) ? Number(said) : 0);
  }
  return weights;
}
