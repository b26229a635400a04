// Versions and publication dates of the legal documents, whose texts are in the console (docs/rules/accounts.md#agreements).

export type LegalVersion = {
  /** Publication date as YYYY-MM-DD; identifies the version in URLs and registrations. */
  date: string;
  version: string;
};

export const privacyPolicy: LegalVersion = { date: "2024-06-01", version: "2.00" };
export const endUserLicense: LegalVersion = { date: "2024-06-01", version: "2.00" };

/** Oldest first. */
export const agreements = [
  { date: "2020-03-25", version: "1.01" },
  { date: "2020-06-03", version: "1.02" },
  { date: "2020-08-20", version: "1.03" },
  { date: "2024-06-01", version: "2.00" },
] as const satisfies readonly LegalVersion[];

export type Agreement = (typeof agreements)[number];

/** The version that users accept when they register. Its `date` is stored with the registration. */
export const newestAgreement: Agreement = agreements[3];

/** Returns the newest version published on or before `date` (YYYY-MM-DD). Returns null for earlier and invalid dates. */
export function findAgreement(date: string): Agreement | null {
  if (!isDay(date)) return null;
  return agreements.findLast((agreement) => agreement.date <= date) ?? null;
}

/** Formats the date as printed in the documents: `2024-06-01` → `01.06.2024`. */
export function formatPublicationDate({ date }: LegalVersion): string {
  return date.split("-").toReversed().join(".");
}

/** `Date` turns 30 February into 1 March without an error, so compare the formatted result. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
