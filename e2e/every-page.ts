// Every URL of the console, with the objects that it requires. A test compares the list with the routes of the running console.

import { expect, type Page } from "@playwright/test";
import { findSensorWithIssues } from "./issues.ts";
import { prepareLocationWithApp } from "./occupancy-app.ts";
import { findConnectedSensor } from "./simulated-sensor.ts";
import type { Api, PersonaName } from "./world.ts";

/** URL, and the user who visits it. A null user means that no user is signed in. `leadsTo` is the target of a redirect. */
export type Visit = { path: string; as?: PersonaName | null; leadsTo?: RegExp };

/** Route patterns with `$` parameters, read from the page's router. */
export async function routesOf(page: Page): Promise<string[]> {
  // The router starts after the first paint. The page's CSP forbids `waitForFunction` with a string.
  await expect.poll(() => page.evaluate<boolean>("'__TSR_ROUTER__' in window")).toBe(true);
  const leaves = await page.evaluate<string[]>(
    "Object.values(__TSR_ROUTER__.routesById).filter((each) => !each.children).map((each) => each.fullPath)",
  );
  return [...new Set(leaves.map((path) => path.replace(/(.)\/$/, "$1")))];
}

const sectionsOf = {
  aps: [],
  zod: ["camera", "measurement", "group", "dataendpoint", "dataendpoint/psp", "gps"],
  psc1: ["camera", "applications", "dataendpoint", "security", "network"],
};
type Listed = { _id: string }[] | { objects: { _id: string }[] };

async function firstOf(api: Api, path: string): Promise<string> {
  const listed = await api.get<Listed>(path);
  const [first] = Array.isArray(listed) ? listed : listed.objects;
  if (first === undefined) throw new Error(`${path} is empty`);
  return first._id;
}

/** Ids for URLs. `issue` is an issue of the sensor `troubled`, at the location `logged`. */
type Objects = Record<
  | (
      | "aps"
      | "zod"
      | "c1"
      | "location"
      | "token"
      | "report"
      | "firmware"
      | "account"
      | "role"
      | "event"
      | "waiting"
      | "self"
    )
  | ("counting" | "troubled" | "logged" | "issue"),
  string
>;

export async function findSeededObjects(api: Api, support: Api) {
  const [aps, location, token, event, report, firmware, account, role, waiting, { _id: self }] = await Promise.all([
    firstOf(api, "/api/v2/sensor?sensorType=APS&sortBy=_id&limit=1"),
    firstOf(api, "/api/v2/measurement?limit=1"),
    firstOf(api, "/api/init_token?limit=1"),
    firstOf(api, "/api/v2/event?limit=1"),
    firstOf(api, "/api/report?limit=1"),
    firstOf(api, "/api/artifact?limit=1"),
    firstOf(api, "/api/account?name=Old+Town&limit=1"),
    firstOf(api, "/api/role?limit=1"),
    firstOf(support, "/api/account?name=Willow+Interiors"),
    api.get<{ _id: string }>("/api/auth/user"),
  ]);
  return { aps, location, token, event, report, firmware, account, role, waiting, self };
}

/** Visits by route pattern. They include connected demo sensors and a sensor with issues. */
export async function visitsOf(api: Api, support: Api): Promise<Record<string, Visit[]>> {
  const [seeded, zod, c1] = await Promise.all([
    findSeededObjects(api, support),
    findConnectedSensor(api, "ZOD"),
    findConnectedSensor(api, "PS.C1"),
  ]);
  const counting = await prepareLocationWithApp(api, support);
  const { sens, issues, measurement } = await findSensorWithIssues(api);
  const issue = issues[0]?._id ?? "none";
  return visitsTo({ ...seeded, zod, c1, counting, troubled: sens, logged: measurement._id, issue });
}

const general = /\/general$/;

function visitsToSensors({ aps, zod, c1 }: Objects): [string, Visit[]][] {
  return Object.entries({ aps, zod, psc1: c1 }).flatMap(([type, id]): [string, Visit[]][] => {
    const sections: readonly string[] = sectionsOf[type as keyof typeof sectionsOf];
    return [
      [`/sensor/${type}/$id`, [{ path: `/sensor/${type}/${id}`, leadsTo: general }]],
      [
        `/sensor/${type}/$id/counts`,
        [{ path: `/sensor/${type}/${id}/counts` }, { path: `/sensor/${type}/${id}/counts?range=last30days` }],
      ],
      [`/sensor/${type}/$id/history`, [{ path: `/sensor/${type}/${id}/history` }]],
      [`/sensor/${type}/$id/general`, [{ path: `/sensor/${type}/${id}/general` }]],
      ...(sections.length === 0
        ? []
        : [
            [`/sensor/${type}/$id/$`, sections.map((tab) => ({ path: `/sensor/${type}/${id}/${tab}` }))] as [
              string,
              Visit[],
            ],
          ]),
    ];
  });
}

export function visitsTo(objects: Objects): Record<string, Visit[]> {
  const { aps, zod, c1, location, token, event, report, firmware, account, role, waiting, self, counting } = objects;
  const log = `/location/${objects.logged}/issues`;
  const anyone = (path: string): Visit[] => [{ path, as: null }];
  return {
    "/login": anyone("/login"),
    "/forgot-password": anyone("/forgot-password"),
    "/reset-password": anyone("/reset-password?token=none"),
    "/sign-up": anyone("/sign-up"),
    "/status": anyone("/status"),
    "/unsubscribe": anyone("/unsubscribe?token=none"),
    "/account/$id/registration/$regId": anyone(`/account/${self}/registration/none`),
    "/account/$id/registration/$regId/verify/$code": anyone(`/account/${self}/registration/none/verify/none`),
    "/impressum": anyone("/impressum"),
    "/privacy": anyone("/privacy"),
    "/licenses": anyone("/licenses"),
    "/end-user-license-agreement": anyone("/end-user-license-agreement"),
    "/data-processing-agreement": anyone("/data-processing-agreement"),
    "/data-processing-agreement/$dateFrom": anyone("/data-processing-agreement/2020-06-03"),
    "/": [{ path: "/", leadsTo: /\/(dashboard|location)$/ }],
    "/dashboard": [{ path: "/dashboard" }],
    "/issues": [{ path: "/issues" }],
    "/sensor": [
      { path: "/sensor?groups=entrance" },
      { path: "/sensor?sensorID=zzz" },
      { path: "/sensor?viewType=vehicles" },
      { path: "/sensor?viewType=vehicles&vehicleID=zzz" },
      { path: "/sensor?viewType=vehicles&map=true" },
    ],
    "/vehicles": [{ path: "/vehicles", leadsTo: /viewType=vehicles$/ }],
    "/sensor/new": [{ path: "/sensor/new" }],
    "/sensor/delete/$id": [{ path: `/sensor/delete/${aps}` }],
    "/sensor/register": [{ path: "/sensor/register", leadsTo: /mode=type$/ }, { path: "/sensor/register?mode=type" }],
    "/sensor/register/checkout": [{ path: "/sensor/register/checkout" }],
    "/sensor/register/success": [{ path: "/sensor/register/success" }],
    "/sensor/$id": [{ path: `/sensor/${aps}`, leadsTo: general }],
    "/sensor/$id/$destination": [{ path: `/sensor/${aps}/vpn`, leadsTo: /\/aps\/.*\/vpn$/ }],
    "/sensor/$id/dataendpoint/psp": [
      { path: `/sensor/${zod}/dataendpoint/psp`, leadsTo: /\/zod\/.*\/dataendpoint\/psp$/ },
    ],
    ...Object.fromEntries(visitsToSensors(objects)),
    "/sensor/zod/$id/preview-cameras": [{ path: `/sensor/zod/${zod}/preview-cameras` }],
    "/sensor/zod/$id/preview-gps": [{ path: `/sensor/zod/${zod}/preview-gps` }],
    "/sensor/zod/$id/preview-occupancy": [{ path: `/sensor/zod/${zod}/preview-occupancy`, leadsTo: /\/coach$/ }],
    "/sensor/zod/$id/preview-occupancy/$page": ["coach", "cameras", "levels", "sections"].map((page) => ({
      path: `/sensor/zod/${zod}/preview-occupancy/${page}`,
    })),
    "/sensor/psc1/$id/preview-cameras": [{ path: `/sensor/psc1/${c1}/preview-cameras` }],
    "/sensor/aps/$id/monitoring": [{ path: `/sensor/aps/${aps}/monitoring` }],
    "/sensor/aps/$id/logs": [{ path: `/sensor/aps/${objects.troubled}/logs` }],
    "/sensor/aps/$id/vpn": [{ path: `/sensor/aps/${aps}/vpn` }],
    "/sensor/aps/$id/firmware": [{ path: `/sensor/aps/${aps}/firmware` }],
    "/location": [{ path: "/location" }],
    "/location/delete/$id": [{ path: `/location/delete/${location}` }],
    "/location/import-sales": [{ path: "/location/import-sales" }],
    "/location/new": [{ path: "/location/new" }],
    "/location/counts": [
      { path: "/location/counts" },
      { path: "/location/counts?range=last7days&name=zzz" },
      { path: "/location/counts?range=last7days&groupBy=tag" },
    ],
    "/location/$id/counts": [
      { path: `/location/${location}/counts` },
      { path: `/location/${location}/counts?range=last30days&by=hour&compare=previous` },
    ],
    "/location/$id/sales": [{ path: `/location/${location}/sales` }],
    "/location/$id": [{ path: `/location/${location}`, leadsTo: general }],
    "/location/$id/general": [{ path: `/location/${location}/general` }],
    "/location/$id/history": [{ path: `/location/${location}/history` }],
    "/location/$id/monitoring": [{ path: `/location/${location}/monitoring` }],
    "/location/$id/apps": [{ path: `/location/${counting}/apps` }],
    "/location/$id/apps/occupancy": [{ path: `/location/${counting}/apps/occupancy` }],
    "/location/$id/apps/occupancy/live": [{ path: `/location/${counting}/apps/occupancy/live` }],
    "/location/$id/apps/occupancy/link": [{ path: `/location/${counting}/apps/occupancy/link` }],
    "/location/$id/apps/occupancy/ledger": [{ path: `/location/${counting}/apps/occupancy/ledger` }],
    "/display/$id": anyone(`/display/${counting}`),
    "/location/$id/issues": [
      { path: log },
      { path: `${log}?issueType=osd&fromToDates=2020-01-01,2020-01-02` },
      { path: `${log}?issue=${objects.issue}` },
    ],
    "/location/events": [{ path: "/location/events" }],
    "/location/events/new": [{ path: "/location/events/new" }],
    "/location/events/$id": [{ path: `/location/events/${event}` }, { path: `/location/events/${event}#history` }],
    "/location/events/delete/$id": [{ path: `/location/events/delete/${event}` }],
    "/location/reports": [{ path: "/location/reports" }],
    "/location/reports/new": [{ path: "/location/reports/new" }],
    "/location/reports/$id": [
      { path: `/location/reports/${report}` },
      { path: `/location/reports/${report}#runs` },
      { path: `/location/reports/${report}#history` },
    ],
    "/location/reports/delete/$id": [{ path: `/location/reports/delete/${report}` }],
    "/init-token": [{ path: "/init-token" }],
    "/init-token/new": [{ path: "/init-token/new" }],
    "/init-token/$id": [{ path: `/init-token/${token}` }, { path: `/init-token/${token}#history` }],
    "/init-token/delete/$id": [{ path: `/init-token/delete/${token}` }],
    "/firmware": [{ path: "/firmware" }],
    "/firmware/new": [{ path: "/firmware/new" }],
    "/firmware/$id": [{ path: `/firmware/${firmware}` }, { path: `/firmware/${firmware}#history` }],
    "/firmware/$id/rollout": [{ path: `/firmware/${firmware}/rollout` }],
    "/firmware/delete/$id": [{ path: `/firmware/delete/${firmware}` }],
    "/account": [{ path: "/account" }, { path: "/account?viewType=list" }, { path: "/account?viewType=health" }],
    "/customers": [{ path: "/customers", leadsTo: /viewType=health$/ }],
    "/account/new": [{ path: "/account/new" }],
    "/account/invite": [{ path: "/account/invite" }],
    "/account/import": [{ path: "/account/import" }],
    "/account/$id": [
      { path: `/account/${self}` },
      { path: `/account/${self}#history` },
      { path: `/account/${self}#access` },
    ],
    "/account/delete/$id": [{ path: `/account/delete/${account}` }],
    "/account/review/$id": [{ path: `/account/review/${waiting}`, as: "support" }],
    "/role": [{ path: "/role" }],
    "/role/new": [{ path: "/role/new" }],
    "/role/$id": [{ path: `/role/${role}` }, { path: `/role/${role}#history` }],
    "/role/delete/$id": [{ path: `/role/delete/${role}` }],
    "/myaccount": [{ path: "/myaccount" }],
    "/myaccount/invite": [{ path: "/myaccount/invite" }],
    "/myaccount/delete/$id": [{ path: `/myaccount/delete/${self}` }],
  };
}
