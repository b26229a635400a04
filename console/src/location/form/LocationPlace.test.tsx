// Tests address, map, time zone and licenses of the location form.
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainCounts, plainLocation } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const permissions: Permissions = {
  owner: { canViewOwner: below },
  ownable: { measurement: { canViewObject: below, canEditObject: below, canCreateObjectFor: below } },
};
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const kathmandu: GeocodeResult = {
  formatted: "Kathmandu, Central, Nepal",
  address: { city: "Kathmandu", state: "Central", country: "Nepal" },
  geo: { type: "Point", coordinates: [85.3206, 27.7083] },
  timezone: "Asia/Kathmandu",
};
const shop = plainLocation({
  _id: id(6),
  name: "Harbour Shop",
  owner,
  location: {
    coordinates: [52.52, 13.4],
    geo: { type: "Point", coordinates: [13.4, 52.52] },
    timezone: "Europe/Berlin",
    address: { street: "Kai 1", city: "Berlin", country: "Germany", formatted: "Kai 1, Berlin, Germany" },
  },
});

const server = (more: StubbedResponses, who: object = self): StubbedResponses => ({
  "GET /api/auth/user": { status: 200, body: { ...who, permissions, email: "a1@example.com" } },
  "GET /api/account": listResponse([self]),
  "GET /api/v2/measurement": listResponse([shop]),
  "GET /api/v2/sensor": listResponse([]),
  "GET /api/v2/counts": { status: 200, body: plainCounts() },
  [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
  ...more,
});
const region = (name: string) => page.getByRole("region", { name, exact: true });
const field = (name: string) => page.getByRole("textbox", { name, exact: true });
const address = () => page.getByRole("combobox", { name: "Address", exact: true });
const zone = () => region("Place").getByRole("definition");

test("LO-02 a selected address fills its parts, coordinates, map and time zone", async () => {
  const asked: (string | null)[] = [];
  const sent: unknown[] = [];
  await openConsole(
    "/location/new",
    server({
      "GET /api/geocode": (_, query) => {
        asked.push(query.get("q"));
        return { status: 200, body: [kathmandu] };
      },
      "POST /api/measurement": (body) => {
        sent.push(body);
        return { status: 200, body: { ...shop, _id: id(6) } };
      },
    }),
  );
  await field("Name").fill("Hill Shop");
  await address().fill("Nepal");
  await page.getByRole("option", { name: /^Kathmandu, Central, Nepal/ }).click();
  expect(asked).toEqual(["Nepal"]);
  await expect.element(address()).toHaveValue("Kathmandu, Central, Nepal");
  await expect.element(field("City")).toHaveValue("Kathmandu");
  await expect.element(field("Latitude")).toHaveValue("27.7083");
  await expect.element(zone()).toHaveTextContent("Asia/Kathmandu");
  await expect.element(region("Map").getByRole("button", { name: "Location on the map" })).toBeVisible();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect
    .poll(() => sent)
    .toEqual([
      {
        name: "Hill Shop",
        owner: id(1),
        location: {
          address: {
            street: null,
            zip: null,
            city: "Kathmandu",
            state: "Central",
            country: "Nepal",
            onSiteInfo: null,
            formatted: "Kathmandu, Central, Nepal",
          },
          geo: { type: "Point", coordinates: [85.3206, 27.7083] },
        },
      },
    ]);
});

test(
  "LO-02 by keyboard: the arrow and Enter pick, Escape and leaving give the present address back",
  { tags: "prove" },
  async () => {
    await openConsole(`/location/${id(6)}/general`, server({ "GET /api/geocode": { status: 200, body: [kathmandu] } }));
    await expect.element(address()).toHaveValue("Kai 1, Berlin, Germany");
    await address().fill("27.7083, 85.3206");
    await expect.element(page.getByRole("option")).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(address()).toHaveValue("Kai 1, Berlin, Germany");
    await address().fill("kathmandu");
    await expect.element(page.getByRole("option")).toBeVisible();
    await userEvent.keyboard("{Enter}");
    await expect.element(zone()).toHaveTextContent("Asia/Kathmandu");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.element(address()).toHaveValue("Kai 1, Berlin, Germany");
    await expect.element(zone()).toHaveTextContent("Europe/Berlin");
  },
);

test("LO-02 an address that is typed and not picked is kept as it is, and saved", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  await openConsole(
    "/location/new",
    server({
      "GET /api/geocode": { status: 200, body: [kathmandu] },
      "POST /api/measurement": (body) => {
        sent.push(body);
        return { status: 200, body: shop };
      },
    }),
  );
  await field("Name").fill("Hill Shop");
  await address().fill("Pier 7, behind the crane");
  await expect.element(page.getByRole("option")).toBeVisible();
  await userEvent.tab();
  await expect.element(address()).toHaveValue("Pier 7, behind the crane");
  await expect.element(field("Street and number")).toHaveValue("Pier 7, behind the crane");
  await address().fill("Nepal");
  await page.getByRole("option", { name: /^Kathmandu, Central, Nepal/ }).click();
  await address().fill("Durbar Square 3");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const kept = { street: "Durbar Square 3", city: null, country: null, formatted: "Durbar Square 3" };
  await expect.poll(() => sent).toMatchObject([{ location: { address: kept } }]);
});

test("LO-02 pasted coordinates keep the street unless it can't be in the found city", { tags: "prove" }, async () => {
  const berlin: GeocodeResult = {
    formatted: "52.5, 13.45 near Berlin, Germany",
    address: { city: "Berlin", state: "Berlin", country: "Germany" },
    geo: { type: "Point", coordinates: [13.45, 52.5] },
    timezone: "Europe/Berlin",
  };
  const link = `https://maps.example.com/place/${"x".repeat(400)}/data=!3d52.5!4d13.45`;
  const asked: (string | null)[] = [];
  await openConsole(
    `/location/${id(6)}/general`,
    server({
      "GET /api/geocode": (_, query) => {
        asked.push(query.get("q"));
        return { status: 200, body: [query.get("q") === "nepal" ? kathmandu : berlin] };
      },
    }),
  );
  await address().fill(link);
  await page.getByRole("option").click();
  // The whole link is sent: the coordinates are at its end.
  expect(asked).toEqual([link]);
  await expect.element(field("Latitude")).toHaveValue("52.5");
  await expect.element(field("Street and number")).toHaveValue("Kai 1");
  await address().fill("nepal");
  await page.getByRole("option").click();
  await expect.element(field("City")).toHaveValue("Kathmandu");
  await expect.element(field("Street and number")).toHaveValue("");
});

test(
  "LO-02 a map without streets shows the country around a location, and comes no nearer",
  { tags: "prove" },
  async () => {
    await openConsole(`/location/${id(6)}/general`, server({}));
    const map = region("Map");
    await expect.element(map.getByRole("button", { name: "Location on the map" })).toBeVisible();
    await expect.element(map.getByText("100 km", { exact: true })).toBeVisible();
    await expect.element(page.getByText("This map shows countries but no streets.")).toBeVisible();
    await expect.element(map.getByRole("button", { name: "Zoom in" })).toHaveAttribute("aria-disabled", "true");
    await map.getByRole("button", { name: "Zoom in" }).click({ force: true });
    await expect.element(map.getByText("100 km", { exact: true })).toBeVisible();
    await map.getByRole("button", { name: "Zoom out" }).click();
    await expect.element(map.getByText("200 km", { exact: true })).toBeVisible();
    await expect.element(map.getByRole("button", { name: "Zoom in" })).not.toHaveAttribute("aria-disabled", "true");
  },
);

test(
  "LO-02 moving the pin changes the coordinates, and the zone is found out when it is saved",
  { tags: "prove" },
  async () => {
    await openConsole(`/location/${id(6)}/general`, server({}));
    const pin = region("Map").getByRole("button", { name: "Location on the map" });
    await expect.element(pin).toBeVisible();
    (pin.element() as HTMLElement).focus();
    await userEvent.keyboard("{ArrowRight}");
    await expect.element(field("Latitude")).toHaveValue("52.52");
    await expect.poll(() => Number((field("Longitude").element() as HTMLInputElement).value)).toBeGreaterThan(13.4);
    await expect.element(zone()).toHaveTextContent("is set when you save");
    // The map isn't recreated, so the pin keeps the focus.
    await expect.element(pin).toHaveFocus();
    await field("Longitude").fill("13.4");
    await expect.element(zone()).toHaveTextContent("Europe/Berlin");
  },
);

test(
  "LO-02 without coordinates the country decides, and where it has several zones one chooses",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await openConsole(
      "/location/new",
      server({
        "POST /api/measurement": (body) => {
          sent.push(body);
          return { status: 200, body: shop };
        },
      }),
    );
    await field("Name").fill("Anywhere");
    const country = page.getByRole("combobox", { name: "Country", exact: true });
    await country.fill("France");
    await page.getByRole("option", { name: "France", exact: true }).click();
    await expect.element(zone()).toHaveTextContent("Europe/Paris");
    await country.fill("New Zealand");
    await page.getByRole("option", { name: "New Zealand", exact: true }).click();
    const choice = page.getByRole("combobox", { name: "Time zone", exact: true });
    await choice.click();
    await page.getByRole("option", { name: "Pacific/Chatham" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect.poll(() => sent).toMatchObject([{ location: { geo: null, timezone: "Pacific/Chatham" } }]);
  },
);

test("ER-02 a search that fails says so, and is tried again", { tags: "prove" }, async () => {
  let isDown = true;
  await openConsole(
    "/location/new",
    server({
      "GET /api/geocode": () =>
        isDown
          ? { status: 500, body: { code: 101, error: "An internal server error occured." } }
          : { status: 200, body: [kathmandu] },
    }),
  );
  await address().fill("kathmandu");
  await expect.element(page.getByText("Search failed", { exact: true })).toBeVisible();
  isDown = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.element(page.getByRole("option", { name: /Kathmandu/ })).toBeVisible();
});

test(
  "LO-02 licenses are switches for the operator's root account, and words for others",
  { tags: "prove" },
  async () => {
    const { screen } = await openConsole(`/location/${id(6)}/general`, server({}));
    await expect.element(region("Licenses").getByText("Occupancy license")).toBeVisible();
    expect(region("Licenses").getByRole("switch").elements()).toEqual([]);
    await screen.unmount();

    const sent: unknown[] = [];
    await openConsole(
      `/location/${id(6)}/general`,
      server(
        {
          [`PUT /api/measurement/${id(6)}/licenses`]: (body) => {
            sent.push(body);
            return {
              status: 200,
              body: { ...shop, version: 2, licenses: { buildings: false, occupancyMeasurement: true } },
            };
          },
        },
        { ...self, parentAccounts: [] },
      ),
    );
    const license = region("Licenses").getByRole("switch", { name: "Occupancy license" });
    await license.click();
    await expect.element(license).toBeChecked();
    await expect.poll(() => sent).toEqual([{ occupancyMeasurement: true }]);
  },
);

test("LO-03 a failed save shows it for two seconds, and the reason stays", { tags: "prove" }, async () => {
  await openConsole(
    `/location/${id(6)}/general`,
    server({
      [`PUT /api/measurement/${id(6)}`]: { status: 500, body: { code: 100, error: "A database error occured." } },
    }),
  );
  await field("Name").fill("Harbour Store");
  const failed = waitForAppearance(page.getByRole("status").getByText("Saving failed"));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await failed;
  await expect.element(page.getByRole("status").getByText("Unsaved changes: Name")).toBeVisible();
  await expect.element(page.getByRole("alert").getByText("A database error occured.")).toBeVisible();
});
