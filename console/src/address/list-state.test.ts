// Tests that lists ignore invalid URL parameters but keep the valid ones (SE-01, SH-10).
import { locationListQuery } from "@psp/contract/location/location.query.ts";
import { sensorListQuery } from "@psp/contract/sensor/sensor.query.ts";
import { expect, test } from "vitest";
import { readSort, pickValidSearch } from "./list-state.ts";

test("what the call would refuse is dropped, what it would accept stays as it was written", () => {
  const search = {
    sensorType: ["APS", "ZOD"],
    connected: "sometimes",
    skip: "-50",
    sortBy: "color",
    groups: "entrance",
    sensorID: "<b>",
    claimable: "enabled",
    campaign: "7",
  };
  expect(pickValidSearch(search, sensorListQuery.shape)).toEqual({
    sensorType: ["APS", "ZOD"],
    groups: "entrance",
    claimable: "enabled",
  });
  expect(pickValidSearch({ name: "x", sensorType: "APS" }, locationListQuery.shape)).toEqual({ name: "x" });
});

test.each([
  [{}, [{ id: "name", desc: false }]],
  [{ sortBy: "_id", sortDesc: "true" }, [{ id: "_id", desc: true }]],
  [{ sortBy: "-type" }, [{ id: "type", desc: true }]],
  [
    { sortBy: ["type", "_id"], sortDesc: ["false", "true"] },
    [
      { id: "type", desc: false },
      { id: "_id", desc: true },
    ],
  ],
])("the order %j is read by position", (search, sort) => {
  expect(readSort(search, [{ id: "name", desc: false }])).toEqual(sort);
});
