// Tests the parsing of SAP exports without a database: spellings of headings, lines above them, line breaks, and refusals.
// cspell:disable -- headings in German and names of SAP's fields
import { expect, test } from "vitest";
import type { AppError } from "../../kit/app-error.ts";
import { streamRows, scanSheet, type ParsedRow } from "./sap.rules.ts";

/** Yields chunks of a few bytes, so that every kind of content also spans the end of a chunk. */
const fileOf = (bytes: Uint8Array) => ({
  async *read() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  },
});

async function read(content: string | Uint8Array) {
  const file = fileOf(typeof content === "string" ? Buffer.from(content) : content);
  const sheet = await scanSheet(file);
  const verdicts: ParsedRow[] = [];
  for await (const part of streamRows(file, sheet)) verdicts.push(...part);
  return { sheet, verdicts };
}

const full = ["Müller", "m@example.com", "1", "Am Kai", "7", "10115", "Köln", "DE", "Acme"];
const names = ["name", "email", "phone", "street", "streetNumber", "zip", "city", "country", "supplier"];
const expected = Object.fromEntries(names.map((name, n) => [name, full[n]]));

test.each([
  [
    "a German list",
    "Debitor;Name 1;E-Mail-Adresse;Telefon-1;Straße;Hausnr.;Postleitz.;Ort;Länderschlüssel;Kreditor",
    ["Debitor"],
  ],
  [
    "a list in capitals without umlauts",
    "NAME1;E MAIL ADRESSE;TELEFONNUMMER;STRASSE;HAUSNR;POSTLEITZAHL;ORT;LAENDERSCHLUESSEL;LIEFERANT",
    [],
  ],
  [
    "an English list",
    "Customer;Name 1;E-Mail Address;Telephone 1;Street;House No.;Postal Code;City;Country/Region Key;Vendor",
    ["Customer"],
  ],
  ["fields of tables", "KUNNR;NAME1;SMTP_ADDR;TELF1;STRAS;HOUSE_NUM1;PSTLZ;ORT01;LAND1;LIFNR", ["KUNNR"]],
  ["dots and accents apart", "Name.;E.Mail.;Tel.;Str.;Haus-Nr.;PLZ.;Ort:;La\u0308nderschlu\u0308ssel;*Lieferant*", []],
])("AC-09 headings of %s are known", async (_, head, unused) => {
  const { sheet, verdicts } = await read(`${head}\n${[...unused.map(() => "4711"), ...full].join(";")}\n`);
  expect(sheet.unused).toEqual(unused);
  expect(verdicts).toMatchObject([{ kind: "invite", row: expected }]);
});

test.each([
  ["sep=, which spreadsheets hide", "sep=,\r\n", ",", 2],
  ["sep= in quotes and capitals", '"SEP=;"\n', ";", 2],
  ["sep= with a tab", "sep=\t\n", "\t", 2],
  ["sep= with a separator that is not read", "sep=|\n", ";", 2],
  ["sep= with another separator than the file's", "sep=;\n", ",", 2],
  ["title rows", "Debitorenverzeichnis, Stand;;\n01.10.2026;;\n\n", ";", 5],
  ["a title with quotes and other separators", '"List" of customers, all; 2026\n', ",", 3],
  ["sep= and a title", "sep=;\nCustomers\n", ";", 3],
])("AC-09 below %s rows are numbered as a spreadsheet shows them", async (_, above, separator, number) => {
  const rows = [
    ["Name", "E-Mail", "Ort"],
    ["Shop", "someone", "Ulm"],
    ["Shop", "shop@example.com", "Ulm"],
  ];
  const { sheet, verdicts } = await read(above + rows.map((row) => row.join(separator)).join("\n"));
  expect(sheet.rows).toBe(2);
  expect(verdicts).toMatchObject([
    { kind: "error", number, reason: "E-Mail: Invalid email" },
    { kind: "invite", number: number + 1, row: { name: "Shop", city: "Ulm" } },
  ]);
});

test("AC-09 line breaks in quotes become spaces", async () => {
  const rows = `"shop@example.com\n";"Shop\r\n  & Sons\n";"Quay\u20287"\n"a@example.com\r\nBcc: b@example.com";Shop;\n`;
  const { verdicts } = await read(`"E-Mail\nAdresse";Name;Straße\n${rows}`);
  expect(verdicts).toMatchObject([
    { kind: "invite", row: { email: "shop@example.com", name: "Shop & Sons", street: "Quay 7" } },
    { kind: "error", reason: "E-Mail: Invalid email" },
  ]);
});

const noEmail = "The file has no column E-Mail / E-Mail Address / E-Mail-Adresse.";
const neither = "The file has no column Name / Name 1 / Kundenname and E-Mail / E-Mail Address / E-Mail-Adresse.";
test.each([
  ["Größe,Mobil <b>\n", `${neither} Row 1 (Windows-1252, separated by semicolons) has Größe,Mobil b.`],
  ["Übersicht,\nName,Ort\n", `${noEmail} Row 2 (Windows-1252, separated by commas) has Name, Ort.`],
  ["", `${neither} No row could be read as UTF-8.`],
])("AC-09 a refusal names what was read and what is missing: %j", async (text, reason) => {
  const refusal = await read(Buffer.from(text, "latin1")).catch((error: unknown) => error as AppError);
  expect(refusal).toMatchObject({ code: 102, details: { field: "file", reason } });
});
