// Tests the selection of sensors on the page of a new location.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponse, type StubbedResponses, notFound, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainLocation, plainSensor } from "../../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const sensorRights = { canViewObject: below, canEditObject: below };
const everything: Permissions = {
  owner: { canViewOwner: below },
  other: { canAssignSensors: below },
  ownable: { sensor: sensorRights, measurement: { canViewObject: below, canCreateObjectFor: below } },
};
const account = (n: number, name: string, parentAccounts: string[]) =>
  plainAccount({ _id: id(n), name, parentAccounts, role: { _id: id(8), name: "Own", owner: null } });
const self = account(1, "Harbour Stores", [id(9)]);
const child = account(2, "Harbour Branch", [id(9), id(1)]);
const sensor = (n: number, owner: typeof self, location: string | null) =>
  plainSensor({
    _id: `02:00:00:00:7A:0${n}`,
    owner: { _id: owner._id, name: owner.name, isDeleted: false },
    measurement:
      location === null ? null : { _id: id(6), name: location, isDeleted: false, location: { timezone: null } },
  });
const free = sensor(1, self, null);
const placed = sensor(2, child, "Old Shop");

const server = (permissions: Permissions): StubbedResponses => ({
  "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "a1@example.com" } },
  "GET /api/account": listResponse([self, child]),
  "GET /api/v2/measurement": listResponse([]),
});
function open(permissions: Permissions, sensors: StubbedResponse, more: StubbedResponses = {}) {
  return openConsole("/location/new", { ...server(permissions), "GET /api/v2/sensor": sensors, ...more });
}
const field = () => page.getByRole("combobox", { name: "Sensor", exact: true });
const nameField = () => page.getByRole("textbox", { name: "Name", exact: true });
async function choose(label: string, option: RegExp) {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option }).click();
}
const said = (sentence: string) =>
  expect.element(page.getByRole("alert").getByText(sentence, { exact: true })).toBeVisible();
async function openChoice(sentence: string) {
  await field().click();
  await said(sentence);
}
const made = plainLocation({ _id: id(5), name: "Harbour Shop", owner: free.owner });
const creating = (sent: unknown[], answer?: StubbedResponse): StubbedResponses => ({
  "POST /api/measurement": (body) => {
    sent.push(body);
    return answer ?? { status: 200, body: made };
  },
  [`GET /api/measurement/${made._id}`]: notFound,
});

test(
  "ER-01 client code 7: opening a select without visible sensors offers to register one",
  { tags: "prove" },
  async () => {
    const sentence = "You can not create a location because there is no sensor existing.";
    const { address, screen } = await open(everything, listResponse([]));
    await expect.element(field()).toBeVisible();
    expect(page.getByText(sentence).elements()).toEqual([]);
    await openChoice(sentence);
    await page.getByRole("alert").getByRole("button", { name: "New sensor" }).click();
    await expect.poll(address).toBe("/sensor/register?fromPSControl=true");
    await screen.unmount();

    await open({ ...everything, ownable: { ...everything.ownable, sensor: {} } }, listResponse([]));
    await openChoice(sentence);
    expect(page.getByRole("button", { name: "New sensor" }).elements()).toEqual([]);
    await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
    await expect.element(page.getByText(sentence)).not.toBeInTheDocument();
  },
);

test(
  "ER-01 client code 7: a choice that is opened before its answer is here says it once it is",
  { tags: "prove" },
  async () => {
    const { promise, resolve } = Promise.withResolvers<StubbedResponse>();
    const sentence = "You can not create a location because there is no sensor existing.";
    await openConsole("/location/new", { ...server(everything), "GET /api/v2/sensor": () => promise });
    await field().click();
    await expect.element(page.getByText("Loading…")).toBeVisible();
    expect(page.getByText(sentence).elements()).toEqual([]);
    resolve(listResponse([]));
    await said(sentence);
  },
);

test("ER-01 a choice that was closed before its answer came complains of nothing", { tags: "prove" }, async () => {
  const { promise, resolve } = Promise.withResolvers<StubbedResponse>();
  await openConsole("/location/new", { ...server(everything), "GET /api/v2/sensor": () => promise });
  await field().click();
  await nameField().click();
  resolve(listResponse([]));
  await choose("Owner", /^Harbour Stores/);
  expect(page.getByText(/You can not create a location/).elements()).toEqual([]);
});

test.each<[string, Permissions]>([
  ["no right to assign", { ...everything, other: {} }],
  [
    "no right to change them",
    { ...everything, ownable: { ...everything.ownable, sensor: { canViewObject: below, canEditObject: {} } } },
  ],
])("ER-01 client code 8: sensors, but none to assign (%s)", async (_, permissions) => {
  await open(permissions, listResponse([free, placed]));
  await openChoice("You can not create a location because you have no permission to assign any sensor.");
  expect(page.getByRole("button", { name: "New sensor" }).elements()).toEqual([]);
  expect(page.getByRole("option").elements()).toEqual([]);
});

test("ER-01 without any sensor a location is created all the same", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  const { address } = await open({ ...everything, other: {} }, listResponse([]), creating(sent));
  await nameField().fill("Harbour Shop");
  await choose("Owner", /^Harbour Stores/);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(address).toBe(`/location/${id(5)}/general`);
  expect(sent).toEqual([{ name: "Harbour Shop", owner: self._id }]);
});

test("LO-02 the chosen sensor goes along, and one that is somewhere else says so", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  const { address } = await open(everything, listResponse([free, placed], 60), creating(sent));
  await nameField().fill("Harbour Shop");
  await choose("Owner", /^Harbour Stores/);
  await field().click();
  await expect.element(page.getByText("2 of 60 matches. Type in more to see the rest", { exact: true })).toBeVisible();
  await page.getByRole("option", { name: /7A:01/ }).click();
  expect(page.getByText(/removed from its current location/).elements()).toEqual([]);
  await choose("Sensor", /7A:02/);
  await expect.element(page.getByText("It is removed from its current location Old Shop")).toBeVisible();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(address).toBe(`/location/${id(5)}/general`);
  expect(sent).toEqual([{ name: "Harbour Shop", owner: self._id, sensorID: placed._id }]);
});

test(
  "LO-02 what is typed and not chosen is forgotten, and the sensor can be taken out again",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open(everything, listResponse([free, placed]), creating(sent));
    await nameField().fill("Harbour Shop");
    await choose("Owner", /^Harbour Stores/);
    await field().fill("7a:0");
    await page.getByRole("option", { name: /7A:01/ }).click();
    await expect.element(field()).toHaveValue(free._id);
    await field().fill("nonsense");
    await userEvent.tab();
    await expect.element(field()).toHaveValue(free._id);
    await field().click();
    await page.getByRole("region", { name: "Sensors" }).getByRole("button", { name: "Clear" }).click();
    await expect.element(field()).toHaveValue("");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect.poll(() => sent).toEqual([{ name: "Harbour Shop", owner: self._id }]);
  },
);

test(
  "ER-01 301: an owner where sensors may not be put is reported at the field before anything is sent",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open({ ...everything, other: { canAssignSensors: { me: true } } }, listResponse([free]), creating(sent));
    await nameField().fill("Harbour Shop");
    await choose("Sensor", /7A:01/);
    await choose("Owner", /^Harbour Branch/);
    const sentence = page.getByText("No permission to assign the given sensor.", { exact: true });
    await expect.element(sentence).toBeVisible();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect.element(page.getByRole("combobox", { name: "Sensor" })).toHaveFocus();
    expect(sent).toEqual([]);
  },
);

test("ER-01 301: the server's refusal comes with its sentence", { tags: "prove" }, async () => {
  const refusal = { status: 403, body: { code: 301, error: "No permission to assign the given sensor." } };
  await open(everything, listResponse([free]), creating([], refusal));
  await nameField().fill("Harbour Shop");
  await choose("Owner", /^Harbour Stores/);
  await choose("Sensor", /7A:01/);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const toast = page.getByRole("alert").filter({ hasText: "Failed to create new location." });
  await expect.element(toast.getByText("No permission to assign the given sensor.", { exact: true })).toBeVisible();
});

test("ER-02 sensors that can't be fetched: the choice says that the search failed", { tags: "prove" }, async () => {
  await open(everything, { status: 500, body: { code: 100, error: "A database error occured." } });
  await field().click();
  await userEvent.keyboard("7A");
  await expect.element(page.getByText("Search failed", { exact: true })).toBeVisible();
});
