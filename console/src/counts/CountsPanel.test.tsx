// Tests the counts page with stubbed responses.
import type { CountBucket, Counts } from "@psp/contract/counts/counts.api.ts";
import { beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainBucket, plainCounts, plainLocation } from "../testing/objects.ts";
import { waitForAppearance } from "../testing/shown.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const id = "00000000-0000-4000-8000-0000000000b1";
const address = `/location/${id}/counts`;
const me = plainAccount({ _id: "00000000-0000-4000-8000-000000000001", name: "Harbour" });
const below = { me: true, myChildren: true };
const user = {
  ...me,
  permissions: { owner: { canViewOwner: below }, ownable: { measurement: { canViewObject: below } } },
  email: "me@example.com",
};
const place = plainLocation({ _id: id, name: "Harbour Shop", owner: { _id: me._id, name: me.name, isDeleted: false } });

const asked: string[] = [];
beforeEach(() => {
  // Until the response arrives, this date determines whether "Next" is enabled.
  vi.useFakeTimers({ now: Date.parse("2026-11-23T14:30:00Z"), toFake: ["Date"] });
  asked.length = 0;
});

const known = (people: number) => ({ in: people, out: people - 1, completeness: 1 });
/** Hours of a day at 14:30. There were people at 10:00 and none at 11:00. The hour at 12:00 is unknown. */
const rows: CountBucket[] = Array.from({ length: 24 }, (_, hour) =>
  plainBucket(
    `2026-11-23T${String(hour).padStart(2, "0")}:00:00Z`,
    60,
    hour > 14
      ? { completeness: null }
      : hour === 12
        ? {}
        : hour === 11
          ? { in: 0, out: 0, completeness: 1 }
          : known(hour * 100 + 1),
  ),
);
const today: Partial<Counts> = {
  rows,
  total: { in: 8114, out: 8101, completeness: 0.96 },
  change: { in: 8, out: -12 },
};

const serverWith = (
  facts: Partial<Counts> | ((query: URLSearchParams) => Partial<Counts>),
  more: StubbedResponses = {},
): StubbedResponses => ({
  "GET /api/auth/user": { status: 200, body: user },
  "GET /api/account": listResponse([me]),
  [`GET /api/measurement/${id}`]: { status: 200, body: place },
  "GET /api/v2/sensor": listResponse([]),
  "GET /api/v2/counts": (_, query) => {
    asked.push(
      [...query]
        .filter(([name, value]) => name !== "filter" && !(name === "open" && value === "true"))
        .map((pair) => pair.join("="))
        .join("&"),
    );
    return { status: 200, body: plainCounts(typeof facts === "function" ? facts(query) : facts) };
  },
  "GET /api/v2/counts/week": {
    status: 200,
    body: {
      days: Array.from({ length: 7 }, (_d, day) =>
        Array.from({ length: 24 }, (_h, hour) => (hour < 8 ? null : { in: day * 10 + hour, out: 1.5, hours: 2 })),
      ),
    },
  },
  ...more,
});
const group = (name: string) => page.getByRole("group", { name, exact: true });
const choose = async (select: string, option: string) => {
  await page.getByRole("combobox", { name: select }).click();
  await page.getByRole("option", { name: option }).click();
};
const button = (name: string) => page.getByRole("button", { name, exact: true });

test("LO-03 Counts is the first entry of a location's menu", async () => {
  await openConsole(address, serverWith(today));
  const menu = page.getByRole("navigation", { name: "Harbour Shop" });
  await expect.element(menu.getByRole("link").first()).toHaveTextContent("Counts");
  await expect.element(menu.getByRole("link", { name: "Counts" })).toHaveAttribute("aria-current", "page");
});

test("figures say the sums, how they changed and since when, and how much of the time is known", async () => {
  await openConsole(address, serverWith(today));
  await expect.element(group("In").getByText("8,114", { exact: true })).toBeVisible();
  await expect.element(group("In")).toMatchTextContent(/8,114\s*up 8 %/);
  await expect.element(group("In").getByText("Compared with Mon 16 Nov 2026", { exact: true })).toBeVisible();
  await expect.element(group("Out")).toMatchTextContent(/8,101\s*down 12 %/);
  await expect.element(group("Completeness").getByText("96 %", { exact: true })).toBeVisible();
});

test("what is unknown is a dash and no zero, in figures and table; hours to come are empty", async () => {
  await openConsole(
    address,
    serverWith({ ...today, total: { in: null, out: null, completeness: null }, change: { in: null, out: null } }),
  );
  for (const name of ["In", "Out"]) {
    await expect.element(group(name).getByText("–", { exact: true })).toBeVisible();
    await expect.element(group(name).getByText("No data yet", { exact: true })).toBeVisible();
  }
  await expect.element(group("Completeness").getByText("–", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("figure").getByText("Unknown", { exact: true })).toBeVisible();
  await button("Show table").click();
  for (const name of ["Time", "In", "Out"])
    await expect.element(page.getByRole("columnheader", { name, exact: true })).toBeVisible();
  const cells = (row: number) =>
    [...(page.getByRole("row").elements()[row + 1]?.children ?? [])].map(({ textContent }) => textContent);
  expect(page.getByRole("row").elements()).toHaveLength(25);
  expect(cells(10)).toEqual(["10:00", "1,001", "1,000"]);
  expect(cells(11)).toEqual(["11:00", "0", "0"]);
  expect(cells(12)).toEqual(["12:00", "–", "–"]);
  expect(cells(15)).toEqual(["15:00", "", ""]);
  expect(cells(23)).toEqual(["23:00", "", ""]);
});

test.each<[does: string, from: string, to: string, act: () => Promise<void>]>(
  everyNth(4, [
    ["Yesterday", "", "?range=yesterday", () => choose("Range", "Yesterday")],
    ["Today, which needs no saying", "?range=yesterday", "", () => choose("Range", "Today")],
    ["Previous", "?range=last7days", "?range=2026-11-10,2026-11-16", () => button("Previous").click()],
    ["Next, to what has a name", "?range=2026-11-21,2026-11-21", "?range=yesterday", () => button("Next").click()],
    ["the arrow to the left", "", "?range=yesterday", () => userEvent.keyboard("{ArrowLeft}")],
    ["the arrow to the right", "?range=yesterday", "", () => userEvent.keyboard("{ArrowRight}")],
    ["Next beyond today, which is off", "", "", () => button("Next").click({ force: true })],
    ["From", "", "?range=2026-10-01,2026-11-23", () => page.getByLabelText("From", { exact: true }).fill("2026-10-01")],
    [
      "From behind To, which it takes along",
      "?range=2026-10-01,2026-10-02",
      "?range=2026-10-09,2026-10-09",
      () => page.getByLabelText("From", { exact: true }).fill("2026-10-09"),
    ],
    [
      "To before From, which it takes along",
      "?range=2026-10-05,2026-10-09",
      "?range=2026-10-01,2026-10-01",
      () => page.getByLabelText("To", { exact: true }).fill("2026-10-01"),
    ],
    [
      "a day to come, which is none",
      "?range=yesterday",
      "?range=yesterday",
      () => page.getByLabelText("To", { exact: true }).fill("2026-11-24"),
    ],
    ["Last month", "", "?range=2026-10-01,2026-10-31", () => choose("Range", "Last month")],
    ["Per Hour", "?range=last7days", "?range=last7days&by=hour", () => choose("Per", "Hour")],
    [
      "Per Day, which is how so many are shown",
      "?range=last7days&by=hour",
      "?range=last7days",
      () => choose("Per", "Day"),
    ],
    [
      "Compare with Year before",
      "?range=yesterday",
      "?range=yesterday&compare=year",
      () => choose("Compare with", "Year before"),
    ],
    [
      "a range too short for its step",
      "?range=last30days&by=week",
      "?range=yesterday",
      () => choose("Range", "Yesterday"),
    ],
    ["Show Out", "?range=yesterday", "?range=yesterday&out=on", () => button("Show Out").click()],
    ["Show Out once more", "?out=on", "", () => button("Show Out").click()],
    [
      "an arrow after a select",
      "",
      "?range=2026-11-21,2026-11-21",
      async () => {
        await choose("Range", "Yesterday");
        await userEvent.keyboard("{ArrowLeft}");
      },
    ],
  ]),
)("the address after %s", async (_, from, to, act) => {
  const { address: now } = await openConsole(address + from, serverWith(today));
  await expect.element(group("In").getByText("8,114", { exact: true })).toBeVisible();
  await act();
  await expect.poll(now).toBe(address + to);
});

test("arrows in a field stay there", async () => {
  const { address: now } = await openConsole(address, serverWith(today));
  await page.getByLabelText("From", { exact: true }).click();
  await userEvent.keyboard("{ArrowLeft}");
  expect(now()).toBe(address);
});

test("steps that would be too many or longer than the range are off and say why", async () => {
  await openConsole(`${address}?range=2024-01-01,2026-11-22`, serverWith(today));
  await page.getByRole("combobox", { name: "Per" }).click();
  const hour = page.getByRole("option", { name: "Hour" });
  await expect.element(hour).toHaveAttribute("aria-disabled", "true");
  await expect.element(hour).toHaveAccessibleDescription(/more than 10,000 bars/);
  await userEvent.keyboard("{Escape}");
  await choose("Range", "Yesterday");
  await page.getByRole("combobox", { name: "Per" }).click();
  for (const name of ["Week", "Month"])
    await expect.element(page.getByRole("option", { name })).toHaveAttribute("aria-disabled", "true");
});

test("the address says what is asked, bad values are ignored", async () => {
  await openConsole(`${address}?range=2026-10-01,2026-10-31&by=week&compare=year`, serverWith(today));
  await expect.poll(() => asked.at(-1)).toBe("range=2026-10-01,2026-10-31&by=week&compare=year");
  await openConsole(`${address}?range=never&by=minute&compare=me`, serverWith(today));
  await expect.poll(() => asked.at(-1)).toBe("range=today");
});

test("a comparison has a line and columns of its own", async () => {
  const earlier = {
    first: "2026-11-16",
    last: "2026-11-16",
    total: known(5),
    rows: rows.map((row) => ({ ...row, in: 7, out: 6 })),
    skippedDays: 0,
  };
  await openConsole(`${address}?compare=previous`, serverWith({ ...today, earlier }));
  await expect.element(page.getByRole("figure").getByText("In, previous", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("figure").getByText("Out, previous", { exact: true })).not.toBeInTheDocument();
  await button("Show table").click();
  await expect.element(page.getByRole("columnheader", { name: "Out, previous" })).toBeVisible();
  await expect.element(page.getByRole("row", { name: "10:00 1,001 1,000 7 6" })).toBeVisible();
});

test("sales have figures of their own, and columns in the table", async () => {
  const sold = { transactions: 50, staffHours: null, visitors: 400, conversion: 0.125 };
  const revenue = [{ currency: "EUR", amount: 1000, perVisitor: 2.5 }];
  await openConsole(
    address,
    serverWith({
      ...today,
      sales: {
        total: { ...sold, revenue, days: 2, comparedDays: 1 },
        rows: rows.map((_, hour) => (hour === 10 ? { ...sold, revenue } : null)),
        earlier: null,
        conversionChange: 1.5,
      },
    }),
  );
  const sales = page.getByRole("region", { name: "Sales" });
  await expect
    .element(sales.getByRole("group", { name: "Conversion" }))
    .toMatchTextContent(/12\.5 %up 1\.5.*percentage points.*of 400 people in, for 1 of 2 days with sales/);
  await expect.element(sales.getByRole("group", { name: "Revenue per visitor" })).toMatchTextContent(/EUR.2\.50/);
  await expect.element(sales.getByRole("group", { name: "Transactions" })).toMatchTextContent(/50/);
  await page.getByRole("button", { name: "Show table" }).first().click();
  await expect
    .element(page.getByRole("row", { name: /^10:00 1,001 1,000 50 12\.5 % EUR.1,000\.00 EUR.2\.50$/ }))
    .toBeVisible();
});

test("without sales, nothing is said about them", async () => {
  await openConsole(address, serverWith(today));
  await expect.element(page.getByRole("group", { name: "In", exact: true })).toBeVisible();
  expect(page.getByRole("region", { name: "Sales" }).elements()).toEqual([]);
});

test("with opening hours, only people within them are counted unless that is switched off", async () => {
  const opens: (string | null)[] = [];
  const closedAtNight = rows.map((row, hour) => (hour < 9 ? { ...row, in: null, out: null, closed: true } : row));
  const answer = (query: URLSearchParams): Partial<Counts> => {
    opens.push(query.get("open"));
    return {
      ...today,
      rows: closedAtNight,
      hasOpeningHours: true,
      outside: { in: 1234, out: 7 },
      notes: [{ first: "2026-11-23", last: "2026-11-23", name: "Winter sale", kind: "event" }],
      earlier: { ...plainCounts().earlier, skippedDays: 2 },
    };
  };
  const { address: now } = await openConsole(address, serverWith(answer));
  const figure = page.getByRole("group", { name: "In", exact: true });
  await expect.element(figure).toMatchTextContent(/1,234 outside opening hours/);
  await expect.element(figure).toMatchTextContent(/without 2 closed or excluded days/);
  await expect.element(page.getByRole("figure").getByText("Closed", { exact: true })).toBeVisible();
  await button("Show table").click();
  await expect.element(page.getByRole("row", { name: "08:00 Closed, Winter sale", exact: true })).toBeVisible();
  await button("Opening hours only").click();
  await expect.poll(now).toBe(`${address}?open=off`);
  await expect.element(button("Opening hours only")).toHaveAttribute("aria-pressed", "false");
  await expect.element(figure).not.toMatchTextContent(/outside/);
  expect([opens[0], opens.at(-1)]).toEqual(["true", null]);
});

test("a closed day is closed, not unknown", async () => {
  const closed = { in: null, out: null, completeness: null };
  await openConsole(
    address,
    serverWith({
      hasOpeningHours: true,
      rows: rows.map((row) => ({ ...row, ...closed, closed: true })),
      total: closed,
    }),
  );
  await expect.element(page.getByRole("group", { name: "In", exact: true })).toMatchTextContent(/Closed/);
  await expect.element(page.getByRole("group", { name: "Completeness" })).toMatchTextContent(/Closed/);
  await expect.element(page.getByText("Unknown", { exact: true })).not.toBeInTheDocument();
});

test("the chart shows people in, and those out on demand; the table has both", async () => {
  await openConsole(address, serverWith(today));
  const inLegend = (name: string) => page.getByRole("figure").getByText(name, { exact: true });
  await expect.element(inLegend("In")).toBeVisible();
  await expect.element(button("Show Out")).toHaveAttribute("aria-pressed", "false");
  await expect.element(inLegend("Out")).not.toBeInTheDocument();
  await button("Show Out").click();
  await expect.element(inLegend("Out")).toBeVisible();
  await expect.element(button("Show Out")).toHaveAttribute("aria-pressed", "true");
  await button("Show Out").click();
  await button("Show table").click();
  await expect.element(page.getByRole("columnheader", { name: "Out", exact: true })).toBeVisible();
});

test("a chart of days shades weekends, and its table names them", async () => {
  const days = Array.from({ length: 7 }, (_, day) => plainBucket(`2026-11-${17 + day}T00:00:00Z`, 1440, known(day)));
  const week = { ...today, by: "day" as const, first: "2026-11-17", last: "2026-11-23", rows: days };
  await openConsole(`${address}?range=last7days`, serverWith(week));
  await expect.element(page.getByRole("figure").getByText("Weekend", { exact: true })).toBeVisible();
  await button("Show table").click();
  const names = page.getByRole("rowheader").elements();
  expect(names.map(({ textContent }) => textContent.endsWith(" Weekend"))).toEqual(
    [17, 18, 19, 20, 21, 22, 23].map((day) => day === 21 || day === 22),
  );
});

test("a range without a name is custom", async () => {
  await openConsole(`${address}?range=2026-10-05,2026-10-09`, serverWith(today));
  await expect.element(page.getByRole("combobox", { name: "Range" })).toHaveTextContent("Custom");
});

test("on a phone the controls take two lines, and a button opens the dates", async () => {
  await page.viewport(360, 740);
  const { address: now } = await openConsole(address, serverWith(today));
  const top = (control: { element: () => Element }) => Math.round(control.element().getBoundingClientRect().bottom);
  const select = (name: string) => page.getByRole("combobox", { name });
  await expect.element(select("Range")).toBeVisible();
  const lines = [select("Range"), button("Previous"), button("Next"), button("Dates"), select("Per")].map(top);
  expect(new Set(lines.slice(0, 4)).size).toBe(1);
  expect(new Set([...lines, top(select("Compare with"))]).size).toBe(2);
  await button("Dates").click();
  await page.getByRole("dialog", { name: "Dates" }).getByLabelText("From", { exact: true }).fill("2026-11-20");
  await expect.poll(now).toBe(`${address}?range=2026-11-20,2026-11-23`);
});

test("files are of what is shown: its buckets, its first and its last instant", async () => {
  await openConsole(`${address}?range=last7days`, serverWith({ ...today, by: "day" }));
  for (const kind of ["csv", "xlsx"]) {
    const link = page.getByRole("link", { name: `Download ${kind.toUpperCase()}`, exact: true });
    const range = "from=2026-11-23T00:00:00.000Z&to=2026-11-24T00:00:00.000Z";
    const style = kind === "csv" ? "&style=people&separator=comma" : "";
    const address = `/data/v2/aggregate/${kind}?filter=meas:${id}:counting&acc=day&${range}&fileName=Harbour+Shop_last7days_day${style}`;
    await expect.element(link).toHaveAttribute("href", address);
    await expect.element(link).toHaveAttribute("download", "");
  }
});

test("the former answer stays while the next is on its way, and is no file of it", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const answers = serverWith(today);
  await openConsole(address, {
    ...answers,
    "GET /api/v2/counts": async (_, query) => {
      if (query.get("range") === "yesterday") await gate;
      return { status: 200, body: plainCounts(query.get("range") === "yesterday" ? { total: known(5) } : today) };
    },
  });
  await expect.element(group("In").getByText("8,114", { exact: true })).toBeVisible();
  await choose("Range", "Yesterday");
  await expect.element(page.getByRole("combobox", { name: "Range" })).toHaveTextContent("Yesterday");
  await expect.element(group("In").getByText("8,114", { exact: true })).toBeVisible();
  await expect.element(page.getByText("Download CSV", { exact: true })).toHaveAttribute("aria-disabled", "true");
  release();
  await expect.element(group("In").getByText("5", { exact: true })).toBeVisible();
});

test("two weeks and more have a typical week, a table of all its hours", async () => {
  await openConsole(`${address}?range=last30days`, serverWith(today));
  const table = page.getByRole("table", { name: "People in by weekday and hour" });
  await expect.element(table.getByRole("row", { name: /^Sun –.* 68 69/ })).toBeVisible();
  expect(table.getByRole("columnheader").elements()).toHaveLength(24);
  await page.getByRole("group", { name: "Direction" }).getByRole("button", { name: "Out" }).click();
  await expect.element(page.getByRole("table", { name: "People out by weekday and hour" })).toMatchTextContent(/1\.5/);
  await choose("Range", "Last 7 days");
  await expect.element(page.getByRole("heading", { name: "Typical week" })).not.toBeInTheDocument();
});

test("on a phone the typical week starts at busy hours and keeps its scroll position", { tags: "prove" }, async () => {
  await page.viewport(360, 740);
  await openConsole(`${address}?range=last30days`, serverWith({}));
  const box = page.getByRole("region", { name: /by weekday and hour, table$/ });
  const leftOf = (hour: string) =>
    box.getByRole("columnheader", { name: hour }).element().getBoundingClientRect().left -
    box.getByRole("rowheader", { name: "Mon" }).element().getBoundingClientRect().right;
  await expect.poll(() => Math.abs(leftOf("08"))).toBeLessThan(8);
  expect(leftOf("07")).toBeLessThan(-20);
  box.element().scrollLeft = 0;
  await button("Out").click();
  await expect.element(page.getByRole("table", { name: "People out by weekday and hour" })).toBeVisible();
  expect(leftOf("00")).toBeGreaterThan(-1);
});

test("Copy link says that it is done for two and a half seconds", { tags: "prove" }, async () => {
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await openConsole(address, serverWith(today));
  const confirmed = waitForAppearance(page.getByText("Link copied", { exact: true }));
  await button("Copy link").click();
  await confirmed;
  expect(copied).toHaveBeenCalledWith(location.href);
  copied.mockRestore();
  await expect.element(page.getByText("Link copied", { exact: true })).not.toBeInTheDocument();
});

test("a failed answer says so, and can be asked for once more", { tags: "prove" }, async () => {
  let fails = true;
  await openConsole(address, {
    ...serverWith(today),
    "GET /api/v2/counts": () =>
      fails ? { status: 403, body: { code: 310, error: "No permission" } } : { status: 200, body: plainCounts(today) },
  });
  await expect.element(page.getByText("The counts could not be loaded", { exact: true })).toBeVisible();
  fails = false;
  await button("Try again").click();
  await expect.element(group("In").getByText("8,114", { exact: true })).toBeVisible();
});
