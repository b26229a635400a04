// Tests the location list and the form of a new location with stubbed responses (LO-01, LO-02).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openConsole } from "../testing/console.tsx";
import { devtools } from "../testing/pointer.ts";
import { listResponse, plainAccount, plainLocation } from "../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const permissions: Permissions = {
  owner: { canViewOwner: below },
  ownable: { measurement: { canViewObject: below, canCreateObjectFor: below } },
};
const account = (n: number, name: string) =>
  plainAccount({
    _id: id(n),
    name,
    role: { _id: id(8), name: "Own", owner: null },
    parentAccounts: n === 1 ? [] : [id(1)],
  });
const place = (owner: object) =>
  plainLocation({
    _id: id(6),
    name: "Harbour Shop",
    owner: { _id: id(2), name: "Branch", isDeleted: false, ...owner },
  });

function open(address: string, ...places: object[]) {
  return openAs(permissions, address, ...places);
}
function openAs(permissions: Permissions, address: string, ...places: object[]) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...account(1, "Northwind"), permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([account(1, "Northwind"), account(2, "Branch"), account(3, "Depot")]),
    "GET /api/v2/measurement": listResponse(places),
    "GET /api/v2/sensor": listResponse([]),
  });
}

type OwnerState = [what: string, owner: object, tooltip: RegExp];
async function marksOwner(...[, owner, tooltip]: OwnerState) {
  await open("/location", place(owner));
  const name = page.getByRole("table", { name: "Locations" }).getByText("Branch", { exact: true });
  await expect.element(name).toBeVisible();
  // Moves the pointer away from earlier positions.
  await userEvent.hover(page.getByRole("heading", { level: 1 }));
  await userEvent.hover(name);
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(tooltip);
}
const states: OwnerState[] = [
  [
    "offline",
    { status: { numActiveSessions: 0, lastSeenAt: "2026-01-02T03:04:05.000Z" } },
    /^Offline\. Last seen 02 Jan/,
  ],
  ["deleted", { isDeleted: true }, /^Deleted account$/],
  ["online", { status: { numActiveSessions: 1, lastSeenAt: null } }, /^Online$/],
];
for (const [index, state] of states.entries())
  test(`LO-01 an owner that is ${state[0]} is marked so in the list`, { tags: index === 0 ? [] : "prove" }, () =>
    marksOwner(...state),
  );

test("LO-01 that an owner is deleted reaches keys, fingers and screen readers", async () => {
  const { address } = await open("/location", place({ isDeleted: true }));
  const owner = page.getByRole("button", { name: "Branch Deleted account", exact: true });
  const tooltip = page.getByRole("tooltip");
  await expect.element(owner).toBeVisible();
  const row = owner.element().closest("tr");
  row?.focus();
  while (document.activeElement !== owner.element()) {
    await userEvent.tab();
    expect(row?.contains(document.activeElement)).toBe(true);
  }
  await expect.element(tooltip).toMatchTextContent(/^Deleted account$/);
  await userEvent.keyboard("{Escape}");
  await expect.element(tooltip).not.toBeInTheDocument();
  const { send, onScreen } = devtools();
  const { left, top, width, height } = owner.element().getBoundingClientRect();
  const finger = onScreen({ x: left + width / 2, y: top + height / 2 });
  await send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [finger] });
  await send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect.element(tooltip).toMatchTextContent(/^Deleted account$/);
  expect(address()).toBe("/location");
});

async function saysWhatIsWrong(name: string, sentence: string) {
  await open("/location/new");
  await expect.element(page.getByRole("heading", { level: 1, name: "New Location" })).toBeVisible();
  const field = page.getByRole("textbox", { name: "Name", exact: true });
  await field.fill(name);
  await userEvent.tab();
  await expect.element(field).toHaveAccessibleDescription(sentence);
}
const wrongNames: [name: string, sentence: string][] = [
  ["a<b>", "Invalid input. Remove special characters like '<>', '[]', '{}'."],
  ["", "The name is required"],
  ["  ", "The name is required"],
  [" ab ", "The name must be at least 3 characters long"],
];
for (const [index, [name, sentence]] of wrongNames.entries())
  test(
    `LO-02 on leaving the field, the name ${JSON.stringify(name)}: ${sentence}`,
    { tags: index === 0 ? [] : "prove" },
    () => saysWhatIsWrong(name, sentence),
  );

test("LO-02 a location without name and owner is not sent; both are said at their fields and above", async () => {
  const forOthers = { measurement: { canViewObject: below, canCreateObjectFor: { myChildren: true } } };
  await openAs({ ...permissions, ownable: forOthers }, "/location/new");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  for (const sentence of ["The name is required", "The owner is required"])
    await expect.element(page.getByRole("link", { name: sentence, exact: true })).toBeVisible();
  await expect
    .element(page.getByRole("combobox", { name: "Owner" }))
    .toHaveAccessibleDescription("The owner is required");
});

test("LO-02 if the own account can't be owner, the empty select says so", { tags: "prove" }, async () => {
  const forOthers = structuredClone(permissions);
  if (forOthers.ownable?.measurement) forOthers.ownable.measurement.canCreateObjectFor = { myChildren: true };
  await openAs(forOthers, "/location/new");
  const hint = page.getByText("Your own account can't be the owner. Choose another one.", { exact: true });
  await expect.element(hint).toBeVisible();
  await page.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: /^Depot/ }).click();
  await expect.element(hint).not.toBeInTheDocument();
});

const tagged = (asked: URLSearchParams[], tags: string[]) => ({
  "GET /api/auth/user": { status: 200, body: { ...account(1, "Northwind"), permissions, email: "a1@example.com" } },
  "GET /api/account": listResponse([account(1, "Northwind"), account(2, "Branch")]),
  "GET /api/v2/measurement": (_: unknown, query: URLSearchParams) => {
    asked.push(query);
    return listResponse([plainLocation({ ...place({}), tags })]);
  },
  "GET /api/v2/measurement/tags": {
    status: 200,
    body: [
      { tag: "Flagship", count: 1200 },
      { tag: "North", count: 1 },
    ],
  },
  "GET /api/v2/sensor": listResponse([]),
});

const filters = (name: string) => page.getByRole("button", { name, exact: true });
const panel = page.getByRole("complementary", { name: "Filters" });

test("LO-01 the filters are closed below 1440 px, and stay as they were left", { tags: "prove" }, async () => {
  const { screen } = await open("/location?country=Belgium", place({}));
  await expect.element(filters("Filters 1 active")).toHaveAttribute("aria-expanded", "false");
  await expect.element(panel).not.toBeInTheDocument();
  await filters("Filters 1 active").click();
  await expect.element(panel.getByRole("combobox", { name: "Owner" })).toBeVisible();
  await screen.unmount();
  await open("/location", place({}));
  await expect.element(panel).toBeVisible();
});

test("LO-01 the filters are open from 1440 px on, unless they were closed", async () => {
  await page.viewport(1440, 900);
  const { screen } = await open("/location", place({}));
  await expect.element(panel).toBeVisible();
  await page.getByRole("button", { name: "Close filters" }).click();
  await expect.element(panel).not.toBeInTheDocument();
  await screen.unmount();
  await open("/location", place({}));
  await expect.element(filters("Filters")).toHaveAttribute("aria-expanded", "false");
});

test(
  "LO-01 a window that becomes narrow closes the filters instead of covering the list",
  { tags: "prove" },
  async () => {
    await page.viewport(1440, 900);
    await open("/location", place({}));
    await expect.element(panel).toBeVisible();
    await page.viewport(1000, 900);
    await expect.element(filters("Filters")).toHaveAttribute("aria-expanded", "false");
    await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  },
);

test("LO-01 tags are a column, and a filter whose field suggests those that there are", async () => {
  const asked: URLSearchParams[] = [];
  const { address } = await openConsole("/location?tagAny=South&tagAny=West", tagged(asked, ["Flagship", "North"]));
  const list = page.getByRole("row", { name: /Shop/ }).getByRole("list");
  await expect.element(list.getByRole("listitem").last()).toMatchTextContent(/North$/);
  await page.getByRole("button", { name: "Remove filter Any of the tags: South, West" }).click();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Tags" }).click();
  await page.getByRole("option", { name: /^Flagship ?1,200 locations$/ }).click();
  await expect.poll(address).toBe("/location?tag=Flagship");
  await page.getByRole("combobox", { name: "Tags" }).fill("Harbour");
  await userEvent.keyboard("{Enter}");
  await expect.poll(address).toBe("/location?tag=Flagship&tag=Harbour");
  await expect.poll(() => asked.at(-1)?.getAll("tag")).toEqual(["Flagship", "Harbour"]);
  await page.getByRole("button", { name: "Remove filter Tags: Flagship" }).click();
  await expect.poll(address).toBe("/location?tag=Harbour");
});

test("LO-01 the tag filter changes between all and any of the tags, also before one is chosen", async () => {
  const { address } = await openConsole("/location?tag=South&tag=West", tagged([], []));
  await page.getByRole("button", { name: /^Filters/ }).click();
  const match = page.getByRole("combobox", { name: "Match" });
  await expect.element(match).toHaveTextContent("All of the tags");
  await match.click();
  await page.getByRole("option", { name: "Any of the tags" }).click();
  await expect.poll(address).toBe("/location?tagAny=South&tagAny=West");
  await page.getByRole("button", { name: "Remove filter Any of the tags: South, West" }).click();
  await expect.poll(address).toBe("/location");
  await expect.element(match).toHaveTextContent("Any of the tags");
  await page.getByRole("combobox", { name: "Tags" }).click();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  await expect.poll(address).toBe("/location?tagAny=North");
  await match.click();
  await page.getByRole("option", { name: "All of the tags" }).click();
  await expect.poll(address).toBe("/location?tag=North");
});

test("LO-01 a location with many tags shows as many as fit and the number of the others", async () => {
  await openConsole("/location", tagged([], ["Flagship", "North", "Pilot", "Outlet", "Harbour"]));
  const tags = page.getByRole("row", { name: /Shop/ }).getByRole("listitem");
  await expect.element(tags.first()).toHaveTextContent("Flagship");
  const more = page.getByRole("row", { name: /Shop/ }).getByText(/^\+[34]$/);
  const shown = () => more.elements().filter((element) => element.checkVisibility());
  await expect.poll(() => shown().length).toBe(1);
  const [count] = shown();
  const others = ["North", "Pilot", "Outlet", "Harbour"].slice(count?.textContent === "+4" ? 0 : 1);
  await expect.element(tags.last()).toMatchTextContent(new RegExp(`${others.join(", ")}$`));
  await tags.first().hover();
  await expect.element(page.getByRole("tooltip")).toHaveTextContent("Flagship, North, Pilot, Outlet, Harbour");
});
