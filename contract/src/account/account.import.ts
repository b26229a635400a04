// SAP account import: columns, row validation, limits and result (docs/rules/accounts.md#sap-import).
import { z } from "zod";
import { uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { emailSchema, newAccountSchema } from "./account.ts";

export const importLimits = { bytes: 10 * 1024 * 1024, rows: 50_000 } as const;

// cspell:disable -- headings in German and names of SAP's fields
/**
 * Accepted column headings: English, German, and SAP field names. Matching ignores case, the spelling of umlauts, and all
 * characters except letters and digits. Our own name comes first. If several columns match the same field, the column whose
 * heading comes first in the list is used.
 */
export const importHeadings = {
  name: [
    "Name",
    "Name 1",
    "Kundenname",
    "Customer Name",
    "Name of Customer",
    "Name des Kunden",
    "Account Name",
    "Business Partner Name",
    "Organization",
    "Organisation",
    "Company Name",
    "Company",
    "Firmenname",
    "Firma",
    "Name Org1",
    "Customer",
    "Kunde",
    "Debitor",
    "Sold-to Party",
    "Auftraggeber",
  ],
  email: [
    "E-Mail",
    "E-Mail Address",
    "E-Mail-Adresse",
    "Mail",
    "Mail Address",
    "Mailadresse",
    "Internet Mail Address",
    "SMTP Address",
    "SMTP-Adresse",
    "SMTP_ADDR",
    "Internet-Mail-Adresse",
  ],
  phone: [
    "Phone",
    "Telefon",
    "Phone Number",
    "Telefonnummer",
    "Telephone",
    "Telephone Number",
    "Telephone No.",
    "Phone No.",
    "Telefonnr.",
    "Telefon-Nr.",
    "Tel.",
    "Tel. No.",
    "Tel.-Nr.",
    "Telefon 1",
    "Telephone 1",
    "Phone 1",
    "1st Telephone No.",
    "1. Telefonnummer",
    "TELF1",
    "TEL_NUMBER",
  ],
  street: [
    "Street",
    "Straße",
    "Street Name",
    "Straßenname",
    "Str.",
    "Street/House Number",
    "Straße/Hausnummer",
    "House Number and Street",
    "Street and House Number",
    "Straße und Hausnummer",
    "Straße/Hausnr.",
    "Street Address",
    "Anschrift",
    "STRAS",
  ],
  streetNumber: [
    "Street Number",
    "Hausnummer",
    "House Number",
    "House No.",
    "Hausnr.",
    "Haus-Nr.",
    "HNr.",
    "Street No.",
    "HOUSE_NUM1",
  ],
  zip: [
    "Postal Code",
    "PLZ",
    "Postleitzahl",
    "Postleitz.",
    "Post Code",
    "ZIP Code",
    "ZIP",
    "Postl. Code",
    "PSTLZ",
    "POST_CODE1",
  ],
  city: ["City", "Ort", "Town", "Stadt", "Ortsname", "Wohnort", "ORT01", "CITY1"],
  country: [
    "Country",
    "Land",
    "Country/Region",
    "Land/Region",
    "Country Name",
    "Ländername",
    "Country Key",
    "Länderschlüssel",
    "Country/Region Key",
    "Country Code",
    "Ländercode",
    "Landesschlüssel",
    "Land-Schl.",
    "Ctry",
    "Cty",
    "LAND1",
  ],
  supplier: ["Supplier", "Lieferant", "Supplier Name", "Lieferantenname", "Vendor Name", "Vendor", "Kreditor", "LIFNR"],
} as const satisfies Record<string, readonly string[]>;
// cspell:enable
export type ImportColumn = keyof typeof importHeadings;

/** Name and e-mail must not be empty. */
export const importRowSchema = z.object({
  name: newAccountSchema.shape.name,
  email: emailSchema,
  phone: safeText(20),
  street: safeText(100),
  streetNumber: safeText(10),
  zip: safeText(10),
  city: safeText(100),
  country: safeText(60),
  supplier: safeText(100),
} satisfies Record<ImportColumn, z.ZodType>);
export type ImportRow = z.output<typeof importRowSchema>;

export const importUpload = {
  file: "file",
  ending: ".csv",
  maxBytes: importLimits.bytes,
  fields: z.strictObject({ role: uuid }),
} as const;

export const importResultSchema = z.object({
  success: z.int(),
  /** Number of skipped rows: rows without an e-mail address, and rows whose address already exists. */
  irrelevant: z.int(),
  error: z.int(),
  total: z.int(),
  /** A line about unused columns, then `row N: …` for each failed row. N is the row number in the spreadsheet. */
  logs: z.array(z.string()),
});
export type ImportResult = z.output<typeof importResultSchema>;
