// Versions and dates of the legal documents (docs/rules/accounts.md#agreements); their texts are in the console.

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

/** Accepted at registration, which records its `date`. */
export const newestAgreement: Agreement = agreements[3];

/** The newest version not later than `date` (YYYY-MM-DD); null before the first one and for invalid dates. */
export function findAgreement(date: string): Agreement | null {
  if (!isDay(date)) return null;
  return agreements.findLast((agreement) => agreement.date <= date) ?? null;
}

/** `2024-06-01` → `01.06.2024`, as printed in the documents. */
export function formatPublicationDate({ date }: LegalVersion): string {
  return date.split("-").toReversed().join(".");
}

/** Date overflows silently (30 February becomes 1 March), so compare the formatted result. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
