// Tests opening hours in the form of a location, in its batch dialog, and of the user's own account.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainCounts, plainLocation } from "../../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const permissions = (edit: boolean): Permissions => ({
  owner: { canViewOwner: below, ...(edit ? { canEditOwner: below } : {}) },
  ownable: { measurement: { canViewObject: below, ...(edit ? { canEditObject: below } : {}) } },
});
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const on = (from: string, to: string) => [{ from, to }];
const usual = on("09:00", "20:00");
const default_: OpeningHours = {
  week: { mo: usual, tu: usual, we: usual, th: usual, fr: usual, sa: usual, su: [] },
  exceptions: [],
  holidays: { country: "DE", region: "BE", closed: true },
};
const shop = (openingHours: OpeningHours | null = null) =>
  plainLocation({ _id: id(6), name: "Harbour Shop", owner, openingHours });
const calendars = [
  { country: "AT", name: "Austria", regions: [] },
  { country: "DE", name: "Germany", regions: [{ region: "BE", name: "Berlin" }] },
];

function open(address: string, more: StubbedResponses = {}, { edit = true, stored = shop() } = {}) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions: permissions(edit), email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([stored]),
    "GET /api/v2/sensor": listResponse([]),
    "GET /api/v2/counts": { status: 200, body: plainCounts() },
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: stored },
    [`GET /api/v2/measurement/${id(6)}/opening-days`]: {
      status: 200,
      body: { hoursOf: "account", openingHours: default_, days: [] },
    },
    [`GET /api/account/${id(1)}/opening-hours`]: { status: 200, body: { openingHours: default_, version: 3 } },
    "GET /api/v2/holidays/calendars": { status: 200, body: calendars },
    "GET /api/v2/holidays": { status: 200, body: [] },
    ...more,
  });
}
const general = `/location/${id(6)}/general`;
const card = () => page.getByRole("region", { name: "Opening hours", exact: true });
const choose = (name: string) => card().getByRole("radio", { name }).click();
const time = (name: string) => page.getByRole("textbox", { name, exact: true });
async function type(name: string, text: string): Promise<void> {
  await expect.element(time(name)).toBeVisible();
  (time(name).element() as HTMLElement).focus();
  await userEvent.keyboard(`${text}{Tab}`);
}
const save = () => page.getByRole("button", { name: "Save", exact: true }).click();

test("inherited hours are shown in words, with the account and the region", async () => {
  await open(general);
  await expect.element(card().getByRole("radio", { name: "Default of Northwind" })).toBeChecked();
  await expect
    .element(card().getByText("Mon–Sat 09:00–20:00, Sun closed; closed on public holidays in Germany, Berlin"))
    .toBeVisible();
});

test("own hours begin with the inherited ones; typed times are completed and sent as a whole", async () => {
  const sent: unknown[] = [];
  await open(general, {
    [`PUT /api/measurement/${id(6)}`]: (body) => {
      sent.push(body);
      return {
        status: 200,
        body: { ...shop({ ...default_, ...(body as { openingHours: OpeningHours }).openingHours }), version: 2 },
      };
    },
  });
  await choose("Custom opening hours");
  await type("Friday, opens", "10");
  await type("Friday, closes", "2");
  await expect.element(time("Friday, closes")).toHaveValue("02:00");
  await expect.element(card().getByText("ends on the next day")).toBeVisible();
  await save();
  await expect
    .poll(() => sent)
    .toEqual([{ openingHours: { ...default_, week: { ...default_.week, fr: on("10:00", "02:00") } } }]);
});

test("wrong hours are marked at their field, and nothing is sent", async () => {
  await open(general, {}, { stored: shop(default_) });
  await type("Monday, closes", "25");
  await expect.element(time("Monday, closes")).toHaveAttribute("aria-invalid", "true");
  await expect.element(card().getByText("Times look like 09:30 or 24:00")).toBeVisible();
  await type("Monday, closes", "9");
  await expect.element(card().getByText(/^A range can't end when it starts/)).toBeVisible();
  await save();
  await expect.element(time("Monday, closes")).toHaveFocus();
});

test("a refusal of the server is shown at its field", async () => {
  await open(
    general,
    {
      [`PUT /api/measurement/${id(6)}`]: {
        status: 400,
        body: {
          code: 102,
          error: "An invalid argument was given.",
          details: { field: "openingHours.holidays.region", reason: "The country has no such region." },
        },
      },
    },
    { stored: shop(default_) },
  );
  await type("Monday, opens", "8");
  await save();
  await expect.element(card().getByRole("combobox", { name: "Region" })).toHaveAttribute("aria-invalid", "true");
});

test("a day is copied to all weekdays, and an exception is entered and removed", async () => {
  await open(general, {}, { stored: shop(default_) });
  await type("Saturday, opens", "11");
  await card().getByRole("button", { name: "Copy Saturday to all weekdays" }).click();
  await expect.element(time("Wednesday, opens")).toHaveValue("11:00");
  await card().getByRole("button", { name: "Add exception" }).click();
  await expect.element(card().getByLabelText("Date")).toHaveFocus();
  await card().getByRole("textbox", { name: "Name" }).fill("Stocktaking");
  await expect.element(card().getByRole("button", { name: "Remove this exception" })).toBeVisible();
  await card().getByRole("button", { name: "Remove this exception" }).click();
  await expect.element(card().getByLabelText("Date")).not.toBeInTheDocument();
});

test("without the right to edit, own hours are words and days", async () => {
  await open(general, {}, { edit: false, stored: shop({ ...default_, holidays: null }) });
  await expect.element(card().getByText("Mon–Sat 09:00–20:00, Sun closed")).toBeVisible();
  await expect.element(card().getByRole("radio").first()).not.toBeInTheDocument();
});

test("LO-01 a batch sets own hours for a selection, and undo restores the former ones", async () => {
  const sent: unknown[] = [];
  await open("/location?tag=shop", {
    "PUT /api/v2/measurement/batch-update": (body) => {
      sent.push(body);
      return { status: 200, body: { success: 1, fail: [], undoID: "r1" } };
    },
    "PUT /api/v2/measurement/batch-undo": (body) => {
      sent.push(body);
      return { status: 200, body: { success: 1, fail: [] } };
    },
  });
  await page.getByRole("checkbox", { name: "Select Harbour Shop" }).click();
  await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Opening hours" }).click();
  const dialog = page.getByRole("dialog", { name: "Opening hours of 1 location" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(page.getByText("Change undone for 1 location")).toBeVisible();
  const week = expect.objectContaining({ mo: on("09:00", "18:00"), su: [] });
  expect(sent).toEqual([
    { measIDs: [id(6)], expectedCount: 1, changes: { openingHours: expect.objectContaining({ week }) } },
    { undoIDs: ["r1"] },
  ]);
});

test("the own account's default is edited in a dialog, with the version that was seen", async () => {
  const sent: unknown[] = [];
  await open("/myaccount", {
    "GET /api/auth/remote-consent": { status: 200, body: { required: false } },
    "GET /api/auth/feed-token": { status: 200, body: { createdAt: null } },
    "GET /api/auth/sessions": { status: 200, body: [] },
    "GET /api/auth/weekly-report": { status: 404, body: { code: 105, error: "Not found." } },
    [`PUT /api/account/${id(1)}/opening-hours`]: (body) => {
      sent.push(body);
      return { status: 200, body: { openingHours: null, version: 4 } };
    },
  });
  await expect.element(card().getByText(/^Mon–Sat 09:00–20:00/)).toBeVisible();
  await card().getByRole("button", { name: "Edit opening hours" }).click();
  const dialog = page.getByRole("dialog", { name: /^Default opening hours/ });
  await dialog.getByRole("radio", { name: "No default (always open)" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toEqual([{ openingHours: null }]);
  await expect.element(dialog).not.toBeInTheDocument();
});
