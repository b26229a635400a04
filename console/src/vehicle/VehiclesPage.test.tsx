// Tests the page of vehicles: trains, details, filters, states without vehicles, and few renders in a storm of live levels.
import type { VehicleMessage } from "@psp/contract/live/live-message.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Vehicle } from "@psp/contract/vehicle/vehicle.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { addVehicleMessage } from "./live-levels.ts";
import { queryClient } from "../api/query-client.ts";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainSensor } from "../testing/objects.ts";
import { typeInto } from "../testing/type.ts";
import { plainCoach, plainVehicle } from "./vehicle.testing.ts";

const permissions: Permissions = { ownable: { sensor: { canViewObject: { me: true, myChildren: true } } } };
const me = plainAccount({ _id: "owner", name: "Tram Lines", role: { _id: "role", name: "Boss", owner: null } });
const now = () => new Date().toISOString();

const stats = (coaches: number) => ({
  status: 200,
  body: {
    totalByInfoFirmware: [],
    totalByScomState: [],
    totalByType: [{ _id: "ZOD", count: coaches }],
    totalByMonitoringLicense: [],
    totalByInstallation: [],
    totalByLastContact: [],
  },
});

function server(vehicles: readonly Vehicle[], more: StubbedResponses = {}): StubbedResponses {
  return {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/account": listResponse([me]),
    "GET /api/v2/sensor": listResponse(
      vehicles.length === 0 ? [] : [plainSensor({ _id: "00:1E:C0:00:00:01", owner: me })],
    ),
    "GET /api/v2/sensor/stats": stats(vehicles.length),
    "GET /api/v2/vehicle": (_, query) => {
      const found = vehicles.filter(({ vehicleId }) => vehicleId.includes(query.get("vehicleID") ?? ""));
      return listResponse(query.get("limit") === "1" ? found.slice(0, 1) : found, found.length);
    },
    ...more,
  };
}

const dayOfNothing: StubbedResponses = {
  "GET /api/v2/vehicle/owner_ICE-7/day": {
    status: 200,
    body: { date: "2026-11-30", zone: "UTC", slotMinutes: 15, slots: [] },
  },
};

const coaches = (id: string) =>
  page
    .getByRole("list", { name: `Coaches of ${id}` })
    .first()
    .getByRole("listitem");

test("the list of sensors leads to vehicles, where coach 4 can be read at once", async () => {
  const train = plainVehicle("ICE-7", [10, 20, 30, 62], now(), { line: "S1" });
  const { address } = await openConsole("/sensor", server([train, plainVehicle("T-2", [0, null], now())]));
  await page.getByRole("link", { name: "Vehicles" }).click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles");
  await expect.element(coaches("ICE-7").nth(3)).toMatchTextContent(/^Coach 4: 62 %, 0 seats free/);
  await expect.element(coaches("T-2").nth(0)).toMatchTextContent(/^Coach 1: empty, 60 seats free/);
  await expect.element(coaches("T-2").nth(1)).toMatchTextContent(/^Coach 2: unknown/);
  await expect.element(page.getByText("Line S1")).toBeVisible();
  await expect.element(page.getByText("2 vehicles")).toBeVisible();
});

test("an opened vehicle shows its coaches, links to sensors, and the curve of a day", async () => {
  const days: string[] = [];
  const from = new Date();
  from.setHours(0, 0, 0, 0);
  const slots = [
    { from: from.toISOString(), load: { persons: 31, places: 100, percent: 31 } },
    { from: new Date(from.getTime() + 900_000).toISOString(), load: null },
  ];
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { address } = await openConsole(
    "/vehicles",
    server([plainVehicle("ICE-7", [10, 62], now())], {
      "GET /api/v2/vehicle/owner_ICE-7/day": (_, query) => {
        days.push(query.get("date") ?? "");
        return { status: 200, body: { date: query.get("date"), zone, slotMinutes: 15, slots } };
      },
    }),
  );
  const opener = page.getByRole("button", { name: "ICE-7" });
  await opener.click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles&vehicle=owner_ICE-7");
  const details = page.getByRole("region", { name: "Details of ICE-7" });
  const row = details.getByRole("row").nth(2);
  await expect.element(row).toMatchTextContent(/62 %.*62.*0.*60 \+ 40/);
  const link = details.getByRole("link", { name: "00:1E:C0:00:00:02" });
  await expect.element(link).toHaveAttribute("href", "/sensor/zod/00:1E:C0:00:00:02/general");
  await expect.element(details.getByRole("figure", { name: "Load of ICE-7 by quarter hour" })).toBeVisible();
  await details.getByRole("button", { name: "Show table" }).click();
  await expect.element(details.getByRole("row", { name: "00:00 31 31" })).toBeVisible();
  await expect.element(details.getByRole("row", { name: /^00:15 – –/ })).toBeVisible();
  await details.getByLabelText("Day").fill("2026-11-29");
  await expect.poll(() => days.at(-1)).toBe("2026-11-29");
  await opener.click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles");
});

test("the search offers the page to those who can see a vehicle", async () => {
  const { address } = await openConsole("/sensor", server([plainVehicle("T-2", [1], now())]));
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("option", { name: "Vehicles" }).click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles");
});

test("vehicles are found by text, and on a map by load and position", async () => {
  const { address } = await openConsole(
    "/sensor?viewType=vehicles",
    server([plainVehicle("ICE-7", [1], now()), plainVehicle("T-2", [1], now(), { position: null })], dayOfNothing),
  );
  await expect.element(page.getByRole("button", { name: "T-2" })).toBeVisible();
  const box = page.getByRole("textbox", { name: "Search by vehicle ID" });
  typeInto(box.element(), "ICE");
  await expect.element(page.getByRole("button", { name: "T-2" })).not.toBeInTheDocument();
  await expect.element(page.getByText("1 of 2 vehicles")).toBeVisible();
  typeInto(box.element(), "zzz");
  await expect.element(page.getByText("No vehicle matches")).toBeVisible();
  typeInto(box.element(), "");
  await expect.element(page.getByRole("button", { name: "T-2" })).toBeVisible();
  await page.getByRole("button", { name: "Map", exact: true }).click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles&map=true");
  await page.getByRole("button", { name: "ICE-7: 1 %, 59 seats free" }).click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles&map=true&vehicle=owner_ICE-7");
  await expect.element(page.getByRole("region", { name: "Details of ICE-7" })).toBeVisible();
  await page.getByRole("button", { name: "List", exact: true }).click();
  await expect.poll(address).toBe("/sensor?viewType=vehicles&vehicle=owner_ICE-7");
});

test("without vehicles there is no switch, and the empty page says how to get one", async () => {
  const { screen } = await openConsole("/sensor", server([]));
  await expect.element(page.getByText("No sensors existing")).toBeVisible();
  expect(page.getByRole("link", { name: "Vehicles" }).elements()).toEqual([]);
  await screen.unmount();
  await openConsole("/sensor?viewType=vehicles", server([]));
  await expect.element(page.getByText("No vehicles yet")).toBeVisible();
});

test("a thousand live levels render each changed row once, in place", async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `T-${n}`);
  await openConsole("/sensor?viewType=vehicles", server(ids.map((id) => plainVehicle(id, [1, 1], now()))));
  await expect.element(coaches("T-19").nth(1)).toMatchTextContent(/1 %/);
  const list = page.getByRole("list", { name: "Vehicles" }).element();
  let batches = 0;
  const observer = new MutationObserver(() => void (batches += 1));
  observer.observe(list, { subtree: true, characterData: true });
  const before = [...list.querySelectorAll("[data-row-id]")];
  for (let n = 1; n <= 50; n += 1)
    for (const id of ids) {
      const { vehicleId: _v, owner: _o, line: _l, ...rest } = plainVehicle(id, [n, 1], now());
      const obj = { ...rest, coaches: [plainCoach(1, n, now())] };
      addVehicleMessage(queryClient, {
        type: "vehicle",
        op: "update",
        obj,
        seq: n,
        cursor: "c",
      } satisfies VehicleMessage);
    }
  await expect.element(coaches("T-19").nth(0)).toMatchTextContent(/50 %/);
  observer.disconnect();
  expect(batches).toBeLessThanOrEqual(4);
  expect([...list.querySelectorAll("[data-row-id]")]).toEqual(before);
});
