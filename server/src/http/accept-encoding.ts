// Content coding of a response, negotiated by Accept-Encoding (RFC 9110 §12.5.3).

export type Coding = "br" | "gzip" | "identity";

const quality = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The acceptable coding with the highest weight; ties go to the first one offered. Null if none is acceptable. */
export function chooseCoding(header: string | undefined, offered: readonly Coding[]): Coding | null {
  const weights = weightsOf(header ?? "");
  // If `identity` is not listed, it is acceptable but ranks behind every listed coding.
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? Number.MIN_VALUE : 0);
  let best: Coding | null = null;
  for (const coding of offered) if (weightOf(coding) > (best === null ? 0 : weightOf(best))) best = coding;
  return best;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = element.split(";").map((part) => part.trim());
    if (name === "") continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // A malformed weight is treated as 0.
    weights.set(name === "x-gzip" ? "gzip" : name, quality.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
