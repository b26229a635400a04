// Tests that `listParameters` contains exactly the parameter names of the contract's list queries.
import { accountListQuery } from "@psp/contract/account/account.query.ts";
import { customerListQuery } from "@psp/contract/customer/customer.query.ts";
import { firmwareListQuery } from "@psp/contract/firmware/firmware.query.ts";
import { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import { reportListQuery } from "@psp/contract/report/report.api.ts";
import { locationListQuery } from "@psp/contract/location/location.query.ts";
import { issueListQuery } from "@psp/contract/monitoring/issue.query.ts";
import { roleListQuery } from "@psp/contract/role/role.query.ts";
import { sensorListQuery } from "@psp/contract/sensor/sensor.query.ts";
import { vehicleListQuery } from "@psp/contract/vehicle/vehicle.api.ts";
import { expect, test } from "vitest";
import { listParameters } from "./address.ts";

test("SH-01 an area that is left keeps every list's parameters to itself", () => {
  const lists = [
    accountListQuery,
    customerListQuery,
    firmwareListQuery,
    initTokenListQuery,
    locationListQuery,
    reportListQuery,
    roleListQuery,
    sensorListQuery,
    vehicleListQuery,
  ];
  // In the URL, the issue log uses `fromToDates` instead.
  const { from: _from, to: _to, ...issues } = issueListQuery.shape;
  const own = ["viewType", "map", "vehicle", "fromToDates", ...Object.keys(issues)];
  const names = new Set([...lists.flatMap(({ shape }) => Object.keys(shape)), ...own]);
  expect([...listParameters].toSorted()).toEqual([...names].toSorted());
});
