// Tests the location list and its batches with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainLocation } from "../../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, "0")}`;
const below = { me: true, myChildren: true };
const permissions: Permissions = {
  owner: { canViewOwner: below },
  ownable: {
    measurement: {
      canViewObject: below,
      canEditObject: below,
      canDeleteObject: below,
      canChangeOwner: { from: below, to: below },
    },
  },
};
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const place = (n: number, facts: object = {}) =>
  plainLocation({
    _id: id(n),
    name: `Shop ${n}`,
    owner: { _id: id(1), name: "Northwind", isDeleted: false },
    ...facts,
  });
const shops = [place(11, { sensorCount: 2, sensorsOffline: 1 }), place(12), place(13)];

const open = (more: StubbedResponses = {}, address = "/location", total = 3) =>
  openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([
      self,
      plainAccount({ _id: id(2), name: "Branch", parentAccounts: [id(9), id(1)] }),
    ]),
    "GET /api/v2/measurement": listResponse(shops, total),
    ...more,
  });
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
const select = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` }).click();
const bar = () => page.getByRole("toolbar", { name: "Selection" });
const act = (name: string) => bar().getByRole("button", { name, exact: true }).click();
const dialog = () => page.getByRole("dialog");

test("LO-01 the list shows sensors, offline ones and people in today, with a dash for unknown", async () => {
  const asked: URLSearchParams[] = [];
  const count = (n: number, people: number | null) => ({
    _id: id(n),
    name: `Shop ${n}`,
    owner: { _id: id(1), name: "Northwind" },
    timezone: null,
    in: people,
    out: people,
    completeness: people === null ? null : 1,
    change: { in: null, out: null },
    rank: null,
    isUnexpectedZero: false,
    closed: false,
    skippedDays: 0,
    curve: [],
    sales: null,
    conversionChange: null,
  });
  await open({
    "GET /api/v2/counts/locations": (_, query) => {
      asked.push(query);
      const objects = [count(11, 1234), count(12, null), count(13, 0)];
      const sum = { in: 1234, out: 0, completeness: 1, locations: 3 };
      const days = { first: "2026-11-23", last: "2026-11-23", by: "hour" };
      return { status: 200, body: { objects, total: 3, sum, outside: null, ...days } };
    },
  });
  await expect.element(row("Shop 11").getByText("2 · 1 offline")).toBeVisible();
  await expect.element(row("Shop 11").getByText("1,234")).toBeVisible();
  await expect.element(row("Shop 12").getByText("–", { exact: true })).toBeVisible();
  await expect.element(row("Shop 13").getByRole("cell", { name: "0", exact: true }).first()).toBeVisible();
  expect(asked.map((query) => [query.getAll("ids"), query.get("range")])).toEqual([
    [[id(11), id(12), id(13)], "today"],
  ]);
});

test("LO-01 analytics is a link of its own; the counts of all keep the filters", async () => {
  await open({}, "/location?country=Germany&occupancy=true&skip=0");
  const link = page.getByRole("link", { name: "Open analytics of Shop 11" });
  await expect.element(link).toHaveAttribute("href", `/location/${id(11)}/counts`);
  await expect.element(link).toHaveAttribute("target", "_blank");
  await expect
    .element(page.getByRole("link", { name: "Compare counts" }))
    .toHaveAttribute("href", "/location/counts?country=Germany&occupancy=true");
  await page.getByRole("button", { name: /^Filters/ }).click();
  await expect.element(page.getByRole("combobox", { name: "Occupancy license" })).toHaveTextContent("With");
});

test(
  "LO-01 the owner of the selected locations is set in one call; refusals are listed with their ids",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open({
      "PUT /api/v2/measurement/batch-update": (body) => {
        sent.push(body);
        return {
          status: 200,
          body: { success: 1, fail: [{ id: id(12), errMessage: "No permission to change the owner." }] },
        };
      },
    });
    await select("Shop 11");
    await select("Shop 12");
    await expect.element(bar().getByText("2 selected")).toBeVisible();
    await act("Set owner");
    await dialog().getByRole("combobox", { name: "Owner" }).click();
    await page.getByRole("option", { name: "Branch" }).click();
    await dialog().getByRole("button", { name: "Save" }).click();
    await expect
      .element(dialog().getByText("1 locations failed to update! 1 locations were updated successfully."))
      .toBeVisible();
    await dialog().getByRole("button", { name: "Details" }).click();
    await expect.element(dialog().getByText(`Object ID: ${id(12)} Shop 12`)).toBeVisible();
    expect(sent).toEqual([{ measIDs: [id(11), id(12)], expectedCount: 2, changes: { owner: id(2) } }]);
  },
);

test(
  "LO-01 an action applies to the current selection, although the bar renders later",
  { tags: "prove" },
  async () => {
    await open();
    await select("Shop 11");
    await expect.element(bar().getByText("1 selected")).toBeVisible();
    const element = bar().getByRole("button", { name: "Set owner" }).element() as HTMLElement;
    const other = row("Shop 12").getByRole("checkbox").element() as HTMLElement;
    other.click();
    element.click();
    await expect.element(page.getByRole("dialog", { name: "Set owner of 2 locations" })).toBeVisible();
  },
);

test(
  "LO-01 one address for all that match but the exceptions, and another look where their number differs",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    let matching = 60;
    await open(
      {
        "GET /api/geocode": {
          status: 200,
          body: [
            {
              formatted: "Berlin, Germany",
              address: { city: "Berlin", country: "Germany" },
              geo: { type: "Point", coordinates: [13.4, 52.5] },
              timezone: "Europe/Berlin",
            },
          ],
        },
        "PUT /api/v2/measurement/batch-update": (body) => {
          sent.push(body);
          const { expectedCount } = body as { expectedCount: number };
          return expectedCount === matching
            ? { status: 200, body: { success: matching, fail: [] } }
            : {
                status: 409,
                body: { code: 102, error: "An invalid argument was given.", details: { count: matching } },
              };
        },
      },
      "/location?name=shop",
      60,
    );
    await select("Shop 11");
    await page.getByRole("button", { name: "Select all 60" }).click();
    await select("Shop 12");
    await act("Set address");
    await expect.element(dialog().getByText("Set address of 59 locations")).toBeVisible();
    await dialog().getByRole("combobox", { name: "Address" }).fill("Berlin");
    await page.getByRole("option", { name: /^Berlin/ }).click();
    await expect.element(dialog().getByText("Time zone Europe/Berlin")).toBeVisible();
    matching = 58;
    await dialog().getByRole("button", { name: "Save" }).click();
    await expect.element(dialog().getByText(/^Selection changed: 58 locations now match/)).toBeVisible();
    await dialog().getByRole("button", { name: "Save" }).click();
    await expect.element(dialog().getByText("Successfully updated all 58 locations!")).toBeVisible();
    const address = {
      street: null,
      zip: null,
      city: "Berlin",
      state: null,
      country: "Germany",
      formatted: "Berlin, Germany",
    };
    const changes = { location: { address, geo: { type: "Point", coordinates: [13.4, 52.5] } } };
    const measQuery = { name: "shop", exclude: [id(12)] };
    expect(sent).toEqual([
      { measQuery, expectedCount: 59, changes },
      { measQuery, expectedCount: 58, changes },
    ]);
  },
);

test("LO-01 without an owner nothing is tried; deleting many asks for their number", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  await open(
    {
      "PUT /api/v2/measurement/batch-delete": (body) => {
        sent.push(body);
        const errMessage = "No permission to delete the given entity.";
        return { status: 200, body: { success: 0, fail: shops.map(({ _id }) => ({ id: _id, errMessage })) } };
      },
    },
    "/location",
    11,
  );
  await select("Shop 11");
  await act("Set owner");
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText("No changes specified")).toBeVisible();
  await dialog().getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Select all 11" }).click();
  await act("Delete");
  await dialog().getByRole("button", { name: "Delete" }).click();
  expect(sent).toEqual([]);
  await dialog().getByRole("textbox", { name: "Type 11 to confirm" }).fill("11");
  await dialog().getByRole("button", { name: "Delete" }).click();
  await expect.element(dialog().getByText("Deletion Failed")).toBeVisible();
  expect(sent).toEqual([{ measQuery: {}, all: true, expectedCount: 11 }]);
});

const tagged = [place(11, { tags: ["Old", "North"] }), place(12, { tags: ["north"] }), place(13)];
const knownTags = { status: 200, body: [{ tag: "Flagship", count: 12 }] };
const previewed = (name: string) => dialog().getByRole("table", { name: "Examples" }).getByRole("row", { name });

test("LO-01 tags are added with suggestions and examples, and undone for all that were changed", async () => {
  const sent: unknown[] = [];
  const undone: unknown[] = [];
  let left = 1;
  await open({
    "GET /api/v2/measurement": listResponse(tagged, 3),
    "GET /api/v2/measurement/tags": knownTags,
    "PUT /api/v2/measurement/batch-update": (body) => {
      sent.push(body);
      const fail = left === 0 ? [] : [{ id: id(12), errMessage: "No permission to edit the given entity." }];
      left = 0;
      return { status: 200, body: { success: 1, fail, undoID: `undo ${sent.length}` } };
    },
    "PUT /api/v2/measurement/batch-undo": (body) => {
      undone.push(body);
      return { status: 200, body: { success: 1, fail: [{ id: id(12), errMessage: "Changed meanwhile." }] } };
    },
  });
  await select("Shop 11");
  await select("Shop 12");
  await act("Edit tags");
  await expect.element(page.getByRole("dialog", { name: "Edit tags of 2 locations" })).toBeVisible();
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText("Choose one of these")).toBeVisible();
  await dialog().getByRole("radio", { name: "Add" }).click();
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText("Enter at least one tag")).toBeVisible();
  await dialog().getByRole("combobox", { name: "Tags" }).click();
  await page.getByRole("option", { name: /^Flagship/ }).click();
  await dialog().getByRole("combobox", { name: "Tags" }).fill("NORTH");
  await expect.element(previewed("Shop 11 Old, North Old, North, Flagship")).toBeVisible();
  await expect.element(previewed("Shop 12 north north, Flagship")).toBeVisible();
  expect(sent).toEqual([]);
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText(/^1 locations failed to update! 1 locations were/)).toBeVisible();
  await dialog().getByRole("button", { name: "Retry failed" }).click();
  await expect.element(dialog().getByText("Successfully updated all 2 locations!")).toBeVisible();
  const changes = { tags: { add: ["Flagship", "NORTH"] } };
  expect(sent).toEqual([
    { measIDs: [id(11), id(12)], expectedCount: 2, changes },
    { measIDs: [id(12)], changes },
  ]);
  await dialog().getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(page.getByText("The change could not be undone for 1 location.")).toBeVisible();
  await expect.element(page.getByText("Change undone for 1 location", { exact: true })).toBeVisible();
  expect(undone).toEqual([{ undoIDs: ["undo 1", "undo 2"] }]);
});

test("LO-01 tags of all that match are replaced or removed; nothing is undone if nothing changed", async () => {
  const sent: unknown[] = [];
  await open(
    {
      "GET /api/v2/measurement": listResponse(tagged, 60),
      "GET /api/v2/measurement/tags": knownTags,
      "PUT /api/v2/measurement/batch-update": (body) => {
        sent.push(body);
        const fail = tagged.map(({ _id }) => ({
          id: _id,
          errMessage: "An invalid argument was given.",
          details: { reason: "It would have 101 tags. A location can have at most 100." },
        }));
        return { status: 200, body: { success: 0, fail, undoID: "undo" } };
      },
    },
    "/location?tag=north",
    60,
  );
  await select("Shop 11");
  await page.getByRole("button", { name: "Select all 60" }).click();
  await select("Shop 12");
  await act("Edit tags");
  await dialog().getByRole("radio", { name: "Remove" }).click();
  await dialog().getByRole("combobox", { name: "Tags" }).fill("OLD,");
  await expect.element(previewed("Shop 11 Old, North North")).toBeVisible();
  await dialog().getByRole("radio", { name: "Replace" }).click();
  await expect.element(dialog().getByText("This overwrites all tags of the selected locations.")).toBeVisible();
  await expect.element(previewed("Shop 11 Old, North OLD")).toBeVisible();
  await dialog().getByRole("combobox", { name: "Tags" }).fill("a<b");
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText("Remove special characters", { exact: false })).toBeVisible();
  expect(sent).toEqual([]);
  await userEvent.keyboard("{Shift>}{Tab}{/Shift}");
  await dialog().getByRole("combobox", { name: "Tags" }).click();
  await userEvent.keyboard("{Backspace}{Backspace}");
  await expect.element(previewed("Shop 11 Old, North -")).toBeVisible();
  await dialog().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText("Saving Failed")).toBeVisible();
  await expect
    .element(
      dialog()
        .getByText(/It would have 101 tags/)
        .first(),
    )
    .toBeVisible();
  const measQuery = { tag: "north", exclude: [id(12)] };
  expect(sent).toEqual([{ measQuery, expectedCount: 59, changes: { tags: { replace: [] } } }]);
  await dialog().getByRole("button", { name: "Close" }).click();
  await expect.element(page.getByRole("button", { name: "Undo" })).not.toBeInTheDocument();
});
