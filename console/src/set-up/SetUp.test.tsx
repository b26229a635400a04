// Tests steps and dismissal of the set-up card with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { SetUpFacts } from "@psp/contract/set-up/set-up.api.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const below = { me: true, myChildren: true };
const all = { canViewObject: below, canEditObject: below, canCreateObjectFor: below };
const everything: Permissions = {
  owner: { canViewOwner: below, canCreateOwner: true },
  ownable: { sensor: all, measurement: all, role: { canViewObject: below } },
};
const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});
const nothing: SetUpFacts = {
  hasSensor: false,
  hasLocation: false,
  unplacedSensor: null,
  placedAt: null,
  hasCounts: false,
  licensedAt: null,
  isMonitored: false,
  hasColleague: false,
};
const sensor = "00:16:28:FA:00:01";
const shop = "00000000-0000-7000-8000-000000000101";

function open(address: string, facts: SetUpFacts | null, permissions = everything, more: StubbedResponses = {}) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/auth/set-up": { status: 200, body: { dismissed: facts === null, facts } },
    "GET /api/v2/sensor": listResponse([]),
    "GET /api/v2/measurement": listResponse([]),
    "GET /api/account": listResponse([me]),
    ...more,
  });
}
const card = () => page.getByRole("region", { name: "Set up", exact: true });
const steps = () =>
  card()
    .getByRole("listitem")
    .elements()
    .map((item) => {
      const link = item.querySelector("a");
      const [title = ""] = [...item.querySelectorAll("span")].map((span) => span.textContent);
      return [title, link === null ? null : `${link.textContent} ${link.getAttribute("href")}`];
    });

test("a newcomer's card stands below the empty list, and each step leads where it is taken", async () => {
  await open("/location", nothing);
  await expect.element(card().getByText("0 of 4 done")).toBeVisible();
  expect(steps()).toEqual([
    ["Register a sensor", "Register sensor /sensor/register?fromPSControl=true"],
    ["Assign it to a location", "Create location /location/new"],
    ["See the counts", null],
    ["Invite a colleague", "Create account /account/new"],
  ]);
  await expect.element(page.getByText("No locations existing")).toBeVisible();
});

test.each([
  [
    "a sensor waits, without any location",
    { ...nothing, hasSensor: true, unplacedSensor: sensor },
    ["Register a sensor – Done", null],
    ["Assign it to a location", `Create location /location/new?sensorID=${sensor}`],
  ],
  [
    "a sensor waits, and there is a location",
    { ...nothing, hasSensor: true, hasLocation: true, unplacedSensor: sensor },
    ["Register a sensor – Done", null],
    ["Assign it to a location", `Choose its location /sensor/${sensor}`],
  ],
  [
    "it is placed, and has not counted",
    { ...nothing, hasSensor: true, hasLocation: true, placedAt: shop },
    ["Assign it to a location – Done", null],
    ["See the counts", `Open counts /location/${shop}/counts`],
  ],
  [
    "it counts and is licensed, and no one would notice if it stopped",
    { ...nothing, hasSensor: true, hasLocation: true, placedAt: shop, hasCounts: true, licensedAt: shop },
    ["See the counts – Done", `Open counts /location/${shop}/counts`],
    ["Turn on monitoring", `Open monitoring /location/${shop}/monitoring`],
  ],
])("the steps follow the facts: %s", async (_case, facts, done, next) => {
  await open("/sensor", facts);
  await expect.element(card()).toBeVisible();
  expect(steps()).toContainEqual(done);
  expect(steps()).toContainEqual(next);
  const [current] = card().element().querySelectorAll('[aria-current="step"]');
  expect(current?.textContent).toContain(next[0]);
});

test("only what the role allows is offered; to look at counts alone is no setting up", { tags: "prove" }, async () => {
  const { screen } = await open("/location", nothing, {
    ownable: { sensor: all, measurement: { canViewObject: below } },
  });
  await expect.element(card().getByText("0 of 3 done")).toBeVisible();
  expect(steps().map(([title]) => title)).toEqual(["Register a sensor", "Assign it to a location", "See the counts"]);
  await screen.unmount();
  await open("/location", nothing, { ownable: { measurement: { canViewObject: below } } });
  await expect.element(page.getByText("No locations existing")).toBeVisible();
  expect(card().elements()).toEqual([]);
});

test("with everything done there is no card", async () => {
  const watched = { licensedAt: shop, isMonitored: true };
  const done = {
    ...nothing,
    ...watched,
    hasSensor: true,
    hasLocation: true,
    placedAt: shop,
    hasCounts: true,
    hasColleague: true,
  };
  await open("/location", done);
  await expect.element(page.getByText("No locations existing")).toBeVisible();
  expect(card().elements()).toEqual([]);
});

test("it is dismissed by one click, for good, and brought back by another", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  await open("/location", nothing, everything, {
    "PUT /api/auth/set-up": (body) => {
      sent.push(body);
      const { dismissed } = body as { dismissed: boolean };
      return { status: 200, body: { dismissed, facts: dismissed ? null : nothing } };
    },
  });
  await card().getByRole("button", { name: "Dismiss" }).click();
  await expect.element(card()).not.toBeInTheDocument();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(card()).toBeVisible();
  expect(sent).toEqual([{ dismissed: true }, { dismissed: false }]);
});

test("a dismissal that could not be saved says why, and the card stays", async () => {
  await open("/location", nothing, everything, {
    "PUT /api/auth/set-up": { status: 503, body: { error: "The database is away", code: 100 } },
  });
  await card().getByRole("button", { name: "Dismiss" }).click();
  await expect.element(page.getByText("The setting could not be saved")).toBeVisible();
  await expect.element(card()).toBeVisible();
});
