// Tests which responses are preloaded (ADR 0027). e2e/first-load.e2e.ts checks that pages use them.
import { expect, test } from "vitest";
import { listPreloadUrls } from "./preload.ts";

const config = { connectionTimeoutHours: 12, pageSize: 20, views: ["sensor", "measurement"] };
const who = "/api/auth/user";
const stats = "/api/v2/sensor/stats?connectionTimeout=12";

test("pages that people begin with preload their data, in the words of the configuration", () => {
  expect(listPreloadUrls("/sensor", "", config)).toEqual([
    who,
    stats,
    "/api/v2/sensor?limit=20&includeTotals=true&sortBy=_id",
    "/api/auth/set-up",
  ]);
  expect(listPreloadUrls("/location/a-1/counts", "", config)).toContain(
    "/api/v2/counts?filter=meas%3Aa-1&range=today&open=true",
  );
});

test("a list whose order was kept is asked for in that order", () => {
  const kept = { sortBy: ["type", "_id"], sortDesc: ["true", "false"] };
  expect(listPreloadUrls("/sensor", "", config, kept)).toContain(
    "/api/v2/sensor?limit=20&includeTotals=true&sortBy=-type&sortBy=_id",
  );
  expect(listPreloadUrls("/location", "", config, { sortBy: "name", sortDesc: "true" })).toContain(
    "/api/v2/measurement?limit=20&includeTotals=true&sortBy=-name",
  );
});

test("unneeded problem counts are not requested", () => {
  expect(listPreloadUrls("/sensor", "?type=APS", config)).toEqual([who]);
  expect(listPreloadUrls("/sensor/new", "", config)).toEqual([who]);
  expect(listPreloadUrls("/sensor", "", { ...config, views: ["measurement"] })).toEqual([who, "/api/auth/set-up"]);
  expect(listPreloadUrls("/location/a-1/counts", "", { ...config, views: [] })).toEqual([who]);
  expect(listPreloadUrls("/dashboard", "", {})).toEqual([who, "/api/auth/set-up"]);
});
