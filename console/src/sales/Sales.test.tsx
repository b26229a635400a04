// Tests the sales of a location and their import with stubbed responses (docs/rules/sales.md#sales-page).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { SalesImportResult } from "@psp/contract/sales/sales.import.ts";
import type { Sale } from "@psp/contract/sales/sales.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openConsole, type StubbedResponses } from "../testing/console.tsx";
import { listResponse, plainAccount, plainCounts, plainLocation } from "../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const rights = (measurement: NonNullable<Permissions["ownable"]>["measurement"]): Permissions => ({
  owner: { canViewOwner: below },
  ownable: { measurement: { canViewObject: below, ...measurement } },
});
const editor = rights({ canEditObject: below });
const viewer = rights({});
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const shop = plainLocation({
  _id: id(6),
  name: "Harbour Shop",
  owner: { _id: id(1), name: "Northwind", isDeleted: false },
  location: { coordinates: null, geo: null, timezone: "Europe/Berlin", address: null },
});
const day: Sale = {
  start: "2026-05-03T22:00:00.000Z",
  end: "2026-05-04T22:00:00.000Z",
  period: "day",
  transactions: 1200,
  revenue: 34_567.5,
  currency: "EUR",
  staffHours: null,
};
const hour: Sale = {
  start: "2026-05-05T08:00:00.000Z",
  end: "2026-05-05T09:00:00.000Z",
  period: "hour",
  transactions: 7,
  revenue: -12.25,
  currency: "CHF",
  staffHours: 2.5,
};

function open(address: string, permissions: Permissions, more: StubbedResponses = {}) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/counts/locations": listResponse([]),
    "GET /api/v2/counts": { status: 200, body: plainCounts() },
    "GET /api/v2/sensor": listResponse([]),
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
    ...more,
  });
}
const sales = `/location/${id(6)}/sales`;
const calls = `/api/measurement/${id(6)}/sales`;
const menuEntry = () => page.getByRole("navigation", { name: "Harbour Shop" }).getByRole("link", { name: "Sales" });

test("the table shows local days and hours, amounts with their currency, and unknown staff hours", async () => {
  await open(sales, editor, { [`GET ${calls}`]: listResponse([hour, day], 2) });
  const table = page.getByRole("table", { name: "Sales" });
  await expect.element(table.getByText("Mon, 4 May 2026")).toBeVisible();
  await expect.element(table.getByText("Whole day")).toBeVisible();
  await expect.element(table.getByText("10:00–11:00")).toBeVisible();
  await expect.element(table.getByText("EUR 34,567.50")).toBeVisible();
  await expect.element(table.getByText("-CHF 12.25")).toBeVisible();
  await expect.element(table.getByText("–", { exact: true })).toBeVisible();
  await expect.element(menuEntry()).toBeVisible();
});

test("who may not edit the location has no entry, and the address leads to General", async () => {
  const { address } = await open(sales, viewer);
  await expect.poll(address).toBe(`/location/${id(6)}/general`);
  await expect.element(page.getByRole("navigation", { name: "Harbour Shop" })).toBeVisible();
  expect(menuEntry().elements()).toEqual([]);
});

test("days of the filter are sent as instants of the location's zone", async () => {
  const asked: string[] = [];
  await open(`${sales}?fromToDates=2026-10-25,2026-10-25`, editor, {
    [`GET ${calls}`]: (_, query) => {
      asked.push(`${query.get("from")} ${query.get("to")}`);
      return listResponse([], 0);
    },
  });
  await expect.element(page.getByText("No sales found for the given days.")).toBeVisible();
  expect(asked[0]).toBe("2026-10-24T22:00:00.000Z 2026-10-25T23:00:00.000Z");
});

test("a range of days is deleted after a confirmation", async () => {
  let asked = "";
  await open(sales, editor, {
    [`GET ${calls}`]: listResponse([day], 1),
    [`DELETE ${calls}`]: (_, query) => {
      asked = `${query.get("from")} ${query.get("to")}`;
      return { status: 200, body: { deleted: 1 } };
    },
  });
  await page.getByRole("button", { name: "Delete sales" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Delete sales" });
  await userEvent.fill(dialog.getByLabelText("To"), "2026-05-05");
  await userEvent.fill(dialog.getByLabelText("From"), "2026-05-04");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.element(page.getByText("Deleted 1 entry")).toBeVisible();
  expect(asked).toBe("2026-05-03T22:00:00.000Z 2026-05-05T22:00:00.000Z");
});

const result = (more: Partial<SalesImportResult>): SalesImportResult => ({
  dryRun: true,
  rows: 3,
  stored: 1,
  replaced: 1,
  unchanged: 0,
  invalid: 0,
  locations: 1,
  unusedColumns: [],
  problemCounts: {},
  problems: [],
  preview: [
    {
      row: 2,
      location: { _id: id(6), name: "Harbour Shop" },
      start: day.start,
      end: day.end,
      timezone: "Europe/Berlin",
      transactions: 1200,
      revenue: 34_567.5,
      currency: "EUR",
      staffHours: null,
      outcome: "replaced",
    },
  ],
  ...more,
});
const csv = (name = "sales.csv") => new File(["Location;Start\n"], name, { type: "text/csv" });

test("the import checks the file first, shows problems as text, and stores after confirmation", async () => {
  const asked: string[] = [];
  const wrong = result({
    invalid: 1,
    unusedColumns: ["Note"],
    problemCounts: { unknownLocation: 1 },
    problems: [{ row: 4, kind: "unknownLocation", reason: "No location has the name or ID <img src=x>" }],
  });
  const { address } = await open("/location", editor, {
    "POST /api/v2/sales/import": (_, query) => {
      asked.push(query.toString());
      return { status: 200, body: { ...wrong, dryRun: query.get("dryRun") === "true" } };
    },
  });
  await page.getByRole("link", { name: "Import sales" }).click();
  await expect.poll(address).toBe("/location/import-sales");
  const dialog = page.getByRole("dialog", { name: "Import sales" });
  await dialog.getByRole("button", { name: "Check file" }).click();
  await expect.element(dialog.getByText("Choose a file").first()).toBeVisible();
  await userEvent.upload(dialog.getByLabelText("CSV file"), csv("sales.txt"));
  await expect.element(dialog.getByText("The file name must end with .csv").first()).toBeVisible();
  await userEvent.upload(dialog.getByLabelText("CSV file"), csv());
  await dialog.getByRole("button", { name: "Check file" }).click();
  await expect.element(dialog.getByText("3 rows for 1 location")).toBeVisible();
  await expect.element(dialog.getByText("Row 4: No location has the name or ID <img src=x>")).toBeVisible();
  await expect.element(dialog.getByText("1 × unknown location")).toBeVisible();
  await expect.element(dialog.getByText("Columns not used: Note")).toBeVisible();
  await expect.element(dialog.getByRole("cell", { name: "Mon, 4 May 2026, Whole day" })).toBeVisible();
  const store = dialog.getByRole("button", { name: "Import 2 entries" });
  await expect.element(store).toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("checkbox", { name: "Skip 1 row with a problem" }).click();
  await store.click();
  await expect.element(dialog.getByText("Imported 2 entries")).toBeVisible();
  expect(asked).toEqual(["dryRun=true&skipInvalid=false", "dryRun=false&skipInvalid=true"]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect.poll(address).toBe("/location");
});

test("a refused file shows the reason of the server", async () => {
  const reason = "The first row has no column Currency";
  const body = {
    error: "An invalid argument was given.",
    code: 102,
    requestId: "r",
    details: { field: "file", reason },
  };
  await open("/location/import-sales", editor, { "POST /api/v2/sales/import": { status: 400, body } });
  const dialog = page.getByRole("dialog", { name: "Import sales" });
  await userEvent.upload(dialog.getByLabelText("CSV file"), csv());
  await dialog.getByRole("button", { name: "Check file" }).click();
  await expect.element(dialog.getByRole("alert")).toMatchTextContent(reason);
});

test("the location list offers no import to viewers", async () => {
  await open("/location", viewer);
  await expect.element(page.getByRole("link", { name: "Compare counts" })).toBeVisible();
  expect(page.getByRole("link", { name: "Import sales" }).elements()).toEqual([]);
});

test("the form of a location has the external id with its explanation, and saves it", async () => {
  let sent: unknown;
  await open(`/location/${id(6)}/general`, editor, {
    [`PUT /api/measurement/${id(6)}`]: (body) => {
      sent = body;
      return { status: 200, body: { ...shop, externalID: "0815", version: 2 } };
    },
  });
  const field = page.getByRole("textbox", { name: "External ID" });
  await expect.element(page.getByText(/store number in your sales files/)).toBeVisible();
  await userEvent.fill(field, " 0815 ");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toEqual({ externalID: "0815" });
});
