// How long a campaign is that plays by chance: short in `npm test`, long in `npm run prove`, with the same checks.

/** This many rounds: `few` are enough to find the faults that were seeded to judge the campaign. */
export function rounds(few: number, many: number): number {
  return process.env["PROVE"] === "on" ? many : few;
}
