// Tests the ledger page with stubbed responses: the state at a minute, the curve as a table, entries and corrections.
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { waitForAppearance } from "../../testing/shown.ts";
import { aps, enabledApplications, numberedId, openAppPage, shopWith, viewPermissions } from "../occupancy.testing.ts";
import { type Ledger, slotsOf } from "./ledger.queries.ts";

const ledgerAt = (at: string): Ledger => ({
  since: "2026-11-19T23:00:00.000Z",
  shown: {
    at,
    state: "closed",
    count: 8,
    maxObjects: 8,
    low: 7,
    high: 9,
    reason: "2 % of the passes may be miscounted",
  },
  course: [
    { at: "2026-11-19T23:00:00.000Z", count: 0, low: 0, high: 0, state: "opened" },
    { at: "2026-11-19T23:12:00.000Z", count: 5, low: 4, high: 6, state: "opened" },
    { at: "2026-11-19T23:21:00.000Z", count: 5, low: 0, high: 9, state: "unknown" },
    { at: "2026-11-19T23:30:00.000Z", count: 8, low: 7, high: 9, state: "closed" },
  ],
  entries: [
    {
      at: "2026-11-19T23:00:00.000Z",
      kind: "reset",
      sens: null,
      in: null,
      out: null,
      count: 0,
      note: null,
      by: null,
      quality: null,
    },
    {
      at: "2026-11-19T23:12:00.000Z",
      kind: "count",
      sens: aps._id,
      in: 6,
      out: 1,
      count: 5,
      note: null,
      by: null,
      quality: "late",
    },
    {
      at: "2026-11-19T23:30:00.000Z",
      kind: "correction",
      sens: null,
      in: null,
      out: null,
      count: 8,
      note: "counted by hand",
      by: { _id: numberedId(1), name: "Northwind" },
      quality: null,
    },
  ],
});
const now = "2026-11-19T23:40:00.000Z";
const asked: (string | null)[] = [];
const corrected: unknown[] = [];

function open(path = "/occupancy/ledger", given = {}) {
  asked.length = 0;
  corrected.length = 0;
  return openAppPage(path, shopWith({ applications: enabledApplications }), {
    ...given,
    more: {
      [`GET /api/measurement/${numberedId(6)}/occupancy/ledger`]: (_, query) => {
        asked.push(query.get("at"));
        return { status: 200, body: ledgerAt(query.get("at") ?? now) };
      },
      [`POST /api/measurement/${numberedId(6)}/occupancy/corrections`]: (body) => {
        corrected.push(body);
        return { status: 200, body: { _id: numberedId(8), at: now, count: 3 } };
      },
    },
  }).opened;
}
const card = page.getByRole("region", { name: "What was shown" });

test("OC-02 what was shown now: state, number, band and reason; the minute is the location's own", async () => {
  await open();
  for (const words of ["Please wait", "8", "7–9", "2 % of the passes may be miscounted"])
    await expect.element(card.getByText(words, { exact: true }).first()).toBeVisible();
  await expect.element(card.getByLabelText("Day")).toHaveValue("2026-11-20");
  await expect.element(card.getByLabelText("Time")).toHaveValue("00:40");
  const rows = page.getByRole("region", { name: "Entries" }).getByRole("row");
  await expect.poll(() => rows.nth(1).element().textContent).toMatch(/Correction.*8.*counted by hand.*Northwind/);
  await expect.poll(() => rows.nth(2).element().textContent).toMatch(new RegExp(`Count.*${aps._id}.*6.*1.*5.*late`));
  await expect.element(page.getByRole("link", { name: aps._id })).toHaveAttribute("href", `/sensor/${aps._id}`);
});

test("OC-02 a day and a minute are chosen, stand in the address, and are asked for", { tags: "prove" }, async () => {
  const { address } = await open();
  await card.getByLabelText("Time").fill("00:25");
  (card.getByRole("button", { name: "Now" }).element() as HTMLElement).focus();
  await expect.poll(address).toContain("at=2026-11-19T23:25:00.000Z");
  await expect.poll(() => asked).toContain("2026-11-19T23:25:00.000Z");
  await card.getByRole("button", { name: "Now" }).click();
  await expect.poll(address).not.toContain("at=");
});

test("OC-02 the curve has a table: count, maximum and band every five minutes, what is unknown as a dash", async () => {
  await open();
  const curve = page.getByRole("region", { name: "Count since the reset", exact: true });
  await curve.getByRole("button", { name: "Show table" }).click();
  const row = (name: string) => curve.getByRole("row", { name, exact: false });
  await expect.poll(() => row("2026-11-20 00:10").element().textContent).toBe("2026-11-20 00:105846");
  await expect.poll(() => row("2026-11-20 00:20").element().textContent).toBe("2026-11-20 00:20–8––");
});

test("OC-02 the curve ends at the minute, its day goes on, and the last of five minutes counts", () => {
  const slots = slotsOf(ledgerAt(now), "Europe/Berlin");
  expect(slots).toHaveLength(288);
  expect(slots.slice(0, 9).map(({ values, gap }) => gap ?? values[0])).toEqual([
    0,
    0,
    5,
    5,
    "unknown",
    "unknown",
    8,
    8,
    8,
  ]);
  expect(slots[9]?.gap).toBe("ahead");
  expect(slots.every(({ values }) => values[1] === 8)).toBe(true);
  expect(slots.filter(({ tick }) => tick !== undefined).map(({ tick }) => tick)).toEqual([
    "00:00",
    "03:00",
    "06:00",
    "09:00",
    "12:00",
    "15:00",
    "18:00",
    "21:00",
  ]);
});

test("OC-02 the count is corrected by hand, with a note", { tags: "prove" }, async () => {
  await open();
  await card.getByRole("button", { name: "Correct the count" }).click();
  const dialog = page.getByRole("dialog", { name: "Correct the count" });
  await dialog.getByRole("button", { name: "Correct", exact: true }).click();
  await expect.element(dialog.getByText("Enter a whole number from 0 to 1,000,000")).toBeVisible();
  await dialog.getByRole("textbox", { name: "People inside now" }).fill("3");
  await dialog.getByRole("textbox", { name: "Note" }).fill("counted");
  const confirmed = waitForAppearance(page.getByText("Count set to 3"));
  await dialog.getByRole("button", { name: "Correct", exact: true }).click();
  await confirmed;
  expect(corrected).toEqual([{ count: 3, note: "counted" }]);
  await expect.poll(() => asked.length).toBeGreaterThan(1);
});

test("OC-02 who may not edit the location reads the ledger and corrects nothing", async () => {
  await open("/occupancy/ledger", { permissions: viewPermissions });
  const button = card.getByRole("button", { name: "Correct the count" });
  await expect.element(button).toHaveAttribute("aria-description", "You can view but not change this app.");
});
