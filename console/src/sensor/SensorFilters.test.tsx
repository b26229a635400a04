// The filters of the sensor list, where what can be chosen changes while one chooses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { queryClient } from "../api/query-client.ts";
import { openConsole } from "../testing/console.tsx";
import { listOf, plainAccount } from "../testing/objects.ts";

const viewing = { canViewObject: { me: true, myChildren: true } };
const permissions: Permissions = { owner: { canViewOwner: { me: true } }, ownable: { sensor: viewing } };
const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});

const options = () =>
  page
    .getByRole("option")
    .elements()
    .map((option) => option.textContent);

test("SE-01 the reported versions stand newest first, and none moves while the list is open", async () => {
  let counted: Record<string, number> = { "1.9.0": 5, "1.10.0": 2 };
  const { address } = await openConsole("/sensor", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/account": listOf([me]),
    "GET /api/v2/sensor": listOf([]),
    "GET /api/v2/sensor/batches": { status: 200, body: [] },
    "GET /api/v2/sensor/stats": () => ({
      status: 200,
      body: {
        totalByInfoFirmware: Object.entries(counted).map(([_id, count]) => ({ _id, count })),
        totalByScomState: [],
        totalByType: [],
        totalByMonitoringLicense: [],
      },
    }),
  });
  const versions = page.getByRole("combobox", { name: "Reported firmware version" });
  await versions.click();
  await expect.poll(options).toEqual(["Any", "1.10.0", "1.9.0"]);
  counted = { "2.0.0": 9, "1.10.0": 2 };
  await queryClient.invalidateQueries({ queryKey: ["sensor", "total"] });
  await expect.poll(options).toEqual(["Any", "1.10.0", "1.9.0", "2.0.0"]);
  await page.getByRole("option", { name: "2.0.0" }).click();
  await expect.poll(address).toBe("/sensor?infoSoftwareFirmwareVersion=2.0.0");
  await expect.poll(options).toEqual([]);
  await versions.click();
  await expect.poll(options).toEqual(["Any", "2.0.0", "1.10.0"]);
});
