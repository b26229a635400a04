// Every address that the console builds has a page, and unknown ones have none (SH-10).
import { createMemoryHistory } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { paths } from "./paths.ts";
import { createConsoleRouter } from "./routes.tsx";

const router = createConsoleRouter(createMemoryHistory());
const id = "01a1f936-ceab-7240-9e31-b83150cca303";
const mac = "00:1E:C0:12:34:56";
const lastRoute = (path: string) => {
  const [matched] = router.getMatchedRoutes(path) as unknown as [{ fullPath: string }[]];
  return matched.at(-1)?.fullPath ?? "";
};

/** Later issues bring these pages. */
const later = new Set<keyof typeof paths>(["registerSensors", "account", "role", "firmwareItem"]);

test.each(Object.keys(paths).filter((name) => !later.has(name as keyof typeof paths)))(
  "SH-10 paths.%s has a page",
  (name) => {
    const path = paths[name as keyof typeof paths];
    const made =
      name === "sensorGeneral"
        ? paths.sensorGeneral("PS.C1", mac)
        : name === "sensorTab"
          ? paths.sensorTab("APS", mac, "firmware")
          : typeof path === "function"
            ? (path as (id: string) => string)(name.toLowerCase().includes("sensor") ? mac : id)
            : path;
    expect(lastRoute(made).replace(/\/$/, "").split("/").length).toBe(made.replace(/\/$/, "").split("/").length);
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
  [`/sensor/delete/${mac}`, "/sensor/delete/$id"],
  ["/location/new", "/location/new"],
  [`/location/${id}`, "/location/$id/"],
  ["/sign-up", "/sign-up"],
  [`/account/${id}/registration/Zm9v_YmFy-1`, "/account/$id/registration/$regId"],
  [`/account/${id}/registration/Zm9v_YmFy-1/verify/YmF6`, "/account/$id/registration/$regId/verify/$code"],
  [`/account/${id}`, "/account/$id"],
  ["/data-processing-agreement/2020-03-25", "/data-processing-agreement/$dateFrom"],
])("SH-10 %s is %s", (path, route) => {
  expect(lastRoute(path)).toBe(route);
});
