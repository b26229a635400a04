// The legal documents with their versions and dates (docs/rules/accounts.md#agreements); the texts themselves are the console's.

export type LegalVersion = {
  /** Day of publication as YYYY-MM-DD; names the document in addresses and in registrations. */
  date: string;
  version: string;
};

export const privacyPolicy: LegalVersion = { date: "2024-06-01", version: "2.00" };
export const endUserLicense: LegalVersion = { date: "2024-06-01", version: "2.00" };

/** Versions of the data processing agreement, oldest first. */
export const agreements = [
  { date: "2020-03-25", version: "1.01" },
  { date: "2020-06-03", version: "1.02" },
  { date: "2020-08-20", version: "1.03" },
  { date: "2024-06-01", version: "2.00" },
] as const satisfies readonly LegalVersion[];

export type Agreement = (typeof agreements)[number];

/** The version that a registration accepts; its `date` is what is recorded. */
export const newestAgreement: Agreement = agreements[3];

/** The newest version not later than `date` (YYYY-MM-DD); null before the first one and for anything but a day of the calendar. */
export function agreementFor(date: string): Agreement | null {
  if (!isDay(date)) return null;
  return agreements.findLast((agreement) => agreement.date <= date) ?? null;
}

/** `2024-06-01` → `01.06.2024`, as the documents print it. */
export function publishedOn({ date }: LegalVersion): string {
  return date.split("-").toReversed().join(".");
}

/** Dates overflow silently: 30 February becomes 1 March, and no longer reads as it was written. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
