// Tests the dashboard map with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { notFound, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainCounts, plainLocation } from "../testing/objects.ts";

const below = { me: true, myChildren: true };
const permissions: Permissions = {
  ownable: { sensor: { canViewObject: below }, measurement: { canViewObject: below } },
};
const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const placeOf = (n: number, coordinates: [number, number] | null, formatted: string | null = null) =>
  plainLocation({
    _id: id(n),
    name: `Shop ${n}`,
    owner: { _id: me._id, name: me.name, isDeleted: false },
    location: { coordinates, geo: null, timezone: null, address: formatted === null ? null : { formatted } },
  });
const places = [
  ...Array.from({ length: 60 }, (_, n) => placeOf(n, [52.5 + n / 1e6, 13.4], `Street ${n}, Berlin`)),
  placeOf(100, [-33.4, -70.6], "Plaza, Santiago"),
  placeOf(101, null),
];
const none = {
  totalByInfoFirmware: [],
  totalByScomState: [],
  totalByType: [],
  totalByMonitoringLicense: [{ _id: true, count: 1 }],
  totalByInstallation: [],
  totalByLastContact: [],
};

test("DB-03 markers show name or count and the worst issue, and list their locations", { tags: "prove" }, async () => {
  const asked: string[][] = [];
  const { address } = await openConsole("/dashboard", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/v2/issue/by-sensor": listResponse([]),
    "GET /api/v2/issue/by-location": {
      status: 200,
      body: [
        { _id: id(7), issueStatus: "Warning" },
        { _id: id(9), issueStatus: "Error" },
      ],
    },
    "GET /api/v2/sensor/stats": { status: 200, body: none },
    "GET /api/v2/sensor": notFound,
    "GET /api/account": notFound,
    "GET /api/v2/counts/total": {
      status: 200,
      body: { in: 1, out: 1, completeness: 1, locations: 1, incomplete: 0 },
    },
    "GET /api/v2/counts/today": notFound,
    "GET /api/v2/measurement/stats": { status: 200, body: { totalByOccupancyLicense: [{ _id: true, count: 62 }] } },
    "GET /api/v2/measurement": (_, query) => {
      if (query.get("onlyLocation") === "true")
        return { status: 200, body: { objects: places.map(({ _id, location }) => ({ _id, location })) } };
      const ids = query.getAll("ids");
      asked.push(ids);
      return listResponse(places.filter(({ _id }) => ids.includes(_id)));
    },
    "GET /api/v2/counts": { status: 200, body: plainCounts() },
    [`GET /api/measurement/${id(0)}`]: { status: 200, body: placeOf(0, [52.5, 13.4]) },
  });
  const map = page.getByRole("region", { name: "Map", exact: true });
  await expect.element(map.getByRole("button", { name: "Shop 100" })).toBeVisible();
  expect(asked).toEqual([[id(100)]]);
  await expect.element(page.getByText("1 location has no coordinates and is not on the map")).toBeVisible();
  // A cluster shows the worst status in it.
  const group = map.getByRole("button", { name: "60 locations, error" });
  await expect.element(group).toHaveAttribute("data-tone", "bad");
  await expect.element(map.getByRole("button", { name: "Shop 100" })).not.toHaveAttribute("data-tone");
  await group.click();
  const list = page.getByRole("dialog", { name: "60 locations" });
  await expect.element(list.getByText("and 10 more")).toBeVisible();
  expect(asked[1]).toHaveLength(50);
  await expect.element(list.getByText("Street 0, Berlin", { exact: true })).toBeVisible();
  await list.getByRole("link", { name: "Shop 0", exact: true }).click();
  await expect.poll(address).toBe(`/location/${id(0)}/general`);
});
