// Tests the list of events and its dialogs with stubbed responses.
import type { Event } from "@psp/contract/event/event.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openConsole, type StubbedResponses } from "../testing/console.tsx";
import { listResponse, plainAccount, plainLocation } from "../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const editor: Permissions = {
  owner: { canViewOwner: below },
  ownable: { measurement: { canViewObject: below, canEditObject: below } },
};
const viewer: Permissions = { ownable: { measurement: { canViewObject: below } } };
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const shop = { _id: id(6), name: "Harbour Shop" };

const plainEvent = (facts: Partial<Event>): Event => ({
  _id: id(5),
  name: "Winter sale",
  owner,
  from: "2026-11-23",
  to: "2026-11-29",
  scope: { measIDs: [shop._id] },
  locations: [shop],
  excludeFromComparison: false,
  mayEdit: true,
  isDeleted: false,
  version: 1,
  ...facts,
});

function open(address: string, events: Event[], more: StubbedResponses = {}, permissions = editor) {
  const me = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [] });
  const one = Object.fromEntries(
    events.map((event) => [`GET /api/v2/event/${event._id}`, { status: 200, body: event }]),
  );
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([me]),
    "GET /api/v2/measurement": listResponse([plainLocation({ ...shop, owner })]),
    "GET /api/v2/measurement/tags": { status: 200, body: [{ tag: "outlet", count: 2 }] },
    "GET /api/v2/event": listResponse(events),
    "GET /api/v2/audit": listResponse([]),
    ...one,
    ...more,
  });
}

test("the list shows the days of events, what they apply to, and which are left out of comparisons", async () => {
  await open("/location/events", [
    plainEvent({}),
    plainEvent({ _id: id(7), name: "Roadworks", to: "2026-11-23", scope: { tag: "outlet" }, locations: [] }),
    plainEvent({ _id: id(8), name: "Festival", scope: { owner: id(1) }, locations: [], excludeFromComparison: true }),
    plainEvent({ _id: id(9), name: "Two", locations: [shop, { _id: id(4), name: "Mall" }] }),
    plainEvent({ _id: id(3), name: "Gone", scope: { measIDs: [] }, locations: [] }),
  ]);
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await expect.element(row("Winter sale")).toMatchTextContent(/23 – 29 Nov 2026.*Harbour Shop.*-/);
  await expect.element(row("Roadworks")).toMatchTextContent(/Tag “outlet”/);
  await expect.element(row("Festival")).toMatchTextContent(/All locations of Northwind.*Excluded/);
  await expect.element(row("Two")).toMatchTextContent(/2 locations/);
  await expect.element(row("Gone")).toMatchTextContent(/No locations/);
});

test("a new event is sent with its days, locations and the switch", async () => {
  const sent: unknown[] = [];
  await open("/location/events/new", [], {
    "POST /api/v2/event": (body) => {
      sent.push(body);
      return { status: 200, body: plainEvent({}) };
    },
  });
  const dialog = page.getByRole("dialog", { name: "New Event" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect.element(dialog.getByText("The name is required")).toBeVisible();
  await expect.element(dialog.getByText("Choose at least one location")).toBeVisible();
  expect(sent).toEqual([]);
  await dialog.getByLabelText("Name").fill("Winter sale");
  await dialog.getByLabelText("First day").fill("2026-11-23");
  await expect.element(dialog.getByLabelText("Last day")).toHaveValue("2026-11-23");
  await dialog.getByLabelText("Last day").fill("2026-11-29");
  await dialog.getByRole("combobox", { name: "Locations" }).click();
  await page.getByRole("option", { name: "Harbour Shop" }).click();
  await userEvent.keyboard("{Escape}");
  await dialog.getByLabelText("Exclude from comparisons").click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect
    .poll(() => sent)
    .toEqual([
      {
        name: "Winter sale",
        owner: id(1),
        from: "2026-11-23",
        to: "2026-11-29",
        scope: { measIDs: [shop._id] },
        excludeFromComparison: true,
      },
    ]);
  await expect.element(dialog).not.toBeInTheDocument();
});

test("only what was changed is sent, and a last day before the first is refused", async () => {
  const sent: unknown[] = [];
  await open(`/location/events/${id(5)}`, [plainEvent({})], {
    [`PUT /api/v2/event/${id(5)}`]: (body) => {
      sent.push(body);
      return { status: 200, body: plainEvent({ version: 2, scope: { tag: "outlet" }, locations: [] }) };
    },
  });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabelText("Last day").fill("2026-11-01");
  await expect.element(dialog.getByText("The last day can't be before the first day")).toBeVisible();
  await dialog.getByLabelText("Last day").fill("2026-11-29");
  await dialog.getByRole("combobox", { name: "Applies to" }).click();
  await page.getByRole("option", { name: "Locations with a tag" }).click();
  await dialog.getByRole("combobox", { name: "Tag" }).fill("outlet");
  await userEvent.keyboard("{Escape}");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toEqual([{ scope: { tag: "outlet" } }]);
});

test("who may not edit an event can read it, but neither add, change nor delete events", async () => {
  await open(`/location/events/${id(5)}`, [plainEvent({ mayEdit: false })], {}, viewer);
  const dialog = page.getByRole("dialog");
  await expect.element(dialog.getByLabelText("Name")).toHaveAttribute("readonly");
  await expect.element(dialog.getByRole("button", { name: "Save" })).not.toBeInTheDocument();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await expect.element(page.getByText("Winter sale")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Add event" })).not.toBeInTheDocument();
  await expect.element(page.getByRole("button", { name: "Delete Winter sale" })).not.toBeInTheDocument();
});

test("an event is deleted after a confirmation", async () => {
  const { address } = await open(`/location/events/delete/${id(5)}`, [plainEvent({})], {
    [`DELETE /api/v2/event/${id(5)}`]: { status: 200, body: { _id: id(5) } },
  });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.element(page.getByText("Deleted event Winter sale")).toBeVisible();
  await expect.poll(address).toBe("/location/events");
});

test("the location list links to events", async () => {
  const { address } = await open("/location", []);
  await page.getByRole("link", { name: "Events" }).click();
  await expect.element(page.getByText("No events yet")).toBeVisible();
  await expect.poll(address).toBe("/location/events");
});
