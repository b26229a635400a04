// Importing accounts from an SAP export: its columns, the rules of a row, the bounds, and the outcome (spec 1 §2, §7; decisions 5).
import { z } from "zod";
import { uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { emailSchema, newAccountSchema } from "./account.ts";

export const importLimits = { bytes: 10 * 1024 * 1024, rows: 50_000 } as const;

/** Our name of each column and the headings that mean it, in English and German; case, spaces and hyphens don't matter. */
export const importHeadings = {
  name: ["Name", "Customer", "Kunde"],
  email: ["E-Mail", "Email"],
  phone: ["Phone", "Telefon"],
  street: ["Street", "Straße", "Strasse"],
  streetNumber: ["Street Number", "Hausnummer"],
  zip: ["Postal Code", "PLZ"],
  city: ["City", "Ort"],
  country: ["Country", "Land"],
  supplier: ["Supplier", "Lieferant"],
} as const;
export type ImportColumn = keyof typeof importHeadings;

/** A row that becomes an account. All but name and e-mail may be empty. */
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

/** The multipart form: the file beside these fields. */
export const importUpload = {
  file: "file",
  ending: ".csv",
  maxBytes: importLimits.bytes,
  fields: z.strictObject({ role: uuid }),
} as const;

export const importResultSchema = z.object({
  success: z.int(),
  /** Without e-mail, or with one that is known already. */
  irrelevant: z.int(),
  error: z.int(),
  total: z.int(),
  /** One line for each row in error: `row N: …`; the header is row 1. */
  logs: z.array(z.string()),
});
export type ImportResult = z.output<typeof importResultSchema>;
