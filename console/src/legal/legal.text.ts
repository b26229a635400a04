// Dates and names that the legal pages share (spec 3 §2).
export const legalText = {
  imprint: "Imprint",
  privacy: "Data protection policy",
  licenses: "Licenses",
  eula: "End user license agreement",
  dpa: "Data processing agreement",
  version: (version: string, published: string) => `Version ${version}, published ${published}`,
  notFound: "No agreement found",
  notFoundText: "There was no data processing agreement in force on this date.",
  notices: "Third-party notices",
} as const;

export type AgreementVersion = { from: string; version: string; published: string };

/** Dated versions of the agreement, oldest first. */
export const agreementVersions: readonly AgreementVersion[] = [
  { from: "2020-03-25", version: "1.01", published: "25.03.2020" },
  { from: "2020-06-03", version: "1.02", published: "03.06.2020" },
  { from: "2020-08-20", version: "1.03", published: "20.08.2020" },
  { from: "2024-06-01", version: "2.00", published: "01.06.2024" },
];

/** The newest version not later than the date; the newest of all without one; null when none fits (decisions 14). */
export function agreementOn(date: string | undefined): AgreementVersion | null {
  if (date === undefined) return agreementVersions.at(-1) ?? null;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date))) return null;
  return agreementVersions.findLast(({ from }) => from <= date) ?? null;
}
