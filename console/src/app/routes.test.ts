// Tests that every URL of `paths` has a route, and that unknown URLs have none (SH-10).
import { createMemoryHistory } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { paths } from "../address/paths.ts";
import { createConsoleRouter } from "./routes.tsx";

const router = createConsoleRouter(createMemoryHistory());
const id = "01a1f936-ceab-7240-9e31-b83150cca303";
const mac = "00:1E:C0:12:34:56";
const partsOf = (path: string) => path.replace(/(?<=.)\/$/, "").split("/");
const routeOf = (path: string): string | undefined => {
  const [, , found] = router.getMatchedRoutes(path);
  const route = found?.fullPath as string | undefined;
  const asked = partsOf(path);
  // `$` matches the rest of the path.
  const said = partsOf(route ?? "").flatMap((part, n) =>
    part === "$" ? asked.slice(n) : part.startsWith("$") ? (asked[n] ?? "") : part,
  );
  return said.join("/") === asked.join("/") ? route : undefined;
};

const built = Object.entries(paths).map(([name, path]): [string, string] => {
  if (path === paths.sensorGeneral) return [name, paths.sensorGeneral("PS.C1", mac)];
  if (path === paths.sensorTab) return [name, paths.sensorTab("APS", mac, "firmware")];
  if (path === paths.locationTab) return [name, paths.locationTab(id, "apps")];
  if (path === paths.dataProcessingOn) return [name, paths.dataProcessingOn("2020-03-25")];
  if (typeof path === "function") return [name, (path as (id: string) => string)(/sensor/i.test(name) ? mac : id)];
  return [name, path];
});

test.each(built)("SH-10 paths.%s has a page: %s", (_name, path) => {
  expect(routeOf(path)).toBeDefined();
});

test.each(["/sensor/no-such-thing/at/all", "/roles", "/location/new/one", "/account/x/y"])(
  "SH-10 %s has no page",
  (path) => {
    expect(routeOf(path)).toBeUndefined();
  },
);

test.each([
  [`/sensor/aps/${mac}/general`, "/sensor/aps/$id/general"],
  [`/sensor/aps/${mac}/monitoring`, "/sensor/aps/$id/monitoring"],
  [`/sensor/aps/${mac}/vpn`, "/sensor/aps/$id/vpn"],
  [`/sensor/aps/${mac}/firmware`, "/sensor/aps/$id/firmware"],
  [`/sensor/aps/${mac}/logs`, "/sensor/aps/$id/logs"],
  [`/sensor/zod/${encodeURIComponent(mac)}`, "/sensor/zod/$id/"],
  [`/sensor/${mac}`, "/sensor/$id"],
  [`/sensor/${mac}/logs`, "/sensor/$id/$destination"],
  [`/sensor/${mac}/dataendpoint/psp`, "/sensor/$id/dataendpoint/psp"],
  [`/sensor/zod/${mac}/dataendpoint/psp`, "/sensor/zod/$id/$"],
  ["/sensor/new", "/sensor/new"],
  [`/sensor/delete/${mac}`, "/sensor/delete/$id"],
  ["/location/new", "/location/new"],
  [`/location/${id}`, "/location/$id/"],
  ["/sign-up", "/sign-up"],
  [`/account/${id}/registration/Zm9v_YmFy-1`, "/account/$id/registration/$regId"],
  [`/account/${id}/registration/Zm9v_YmFy-1/verify/YmF6`, "/account/$id/registration/$regId/verify/$code"],
  [`/account/${id}`, "/account/$id"],
  ["/data-processing-agreement/2020-03-25", "/data-processing-agreement/$dateFrom"],
])("SH-10 %s is %s", (path, route) => {
  expect(routeOf(path)).toBe(route);
});
