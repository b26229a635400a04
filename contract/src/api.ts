// All API calls. The server binds them and generates OpenAPI from them.
import * as access from "./access/access.api.ts";
import * as account from "./account/account.api.ts";
import * as rights from "./account/rights.api.ts";
import * as audit from "./audit/audit.api.ts";
import * as auth from "./auth/auth.api.ts";
import * as claim from "./claim/claim.api.ts";
import * as counts from "./counts/counts.api.ts";
import * as countsFile from "./counts/counts-file.api.ts";
import * as customer from "./customer/customer.api.ts";
import * as datapoint from "./datapoint/datapoint.api.ts";
import * as demo from "./demo/demo.api.ts";
import * as event from "./event/event.api.ts";
import * as feed from "./feed/feed.api.ts";
import * as firmware from "./firmware/firmware.api.ts";
import * as initToken from "./init-token/init-token.api.ts";
import * as invitation from "./invitation/invitation.api.ts";
import type { AnyEndpoint } from "./kit/endpoint.ts";
import * as geocode from "./location/geocode.api.ts";
import * as location from "./location/location.api.ts";
import * as locationBatch from "./location/location.batch.api.ts";
import * as dataProblems from "./monitoring/data-problems.api.ts";
import * as issueWork from "./monitoring/issue-work.api.ts";
import * as monitoring from "./monitoring/monitoring.api.ts";
import * as occupancy from "./occupancy/occupancy.api.ts";
import * as opening from "./opening/opening.api.ts";
import * as registration from "./registration/registration.api.ts";
import * as replacement from "./replacement/replacement.api.ts";
import * as report from "./report/report.api.ts";
import * as subscription from "./report/subscription.api.ts";
import * as remoteAccess from "./remote-access/remote-access.api.ts";
import * as role from "./role/role.api.ts";
import * as sales from "./sales/sales.api.ts";
import * as section from "./section/section.api.ts";
import * as sensor from "./sensor/sensor.api.ts";
import * as sensorBatch from "./sensor/sensor.batch.api.ts";
import * as device from "./device/device.api.ts";
import * as remote from "./sensor/sensor.remote.api.ts";
import * as setUp from "./set-up/set-up.api.ts";
import * as vehicle from "./vehicle/vehicle.api.ts";

const modules: Record<string, unknown>[] = [
  auth,
  account,
  rights,
  customer,
  access,
  registration,
  role,
  invitation,
  sensor,
  sensorBatch,
  replacement,
  remote,
  remoteAccess,
  section,
  device,
  initToken,
  location,
  locationBatch,
  geocode,
  opening,
  event,
  sales,
  firmware,
  claim,
  datapoint,
  counts,
  countsFile,
  monitoring,
  issueWork,
  dataProblems,
  occupancy,
  report,
  subscription,
  feed,
  vehicle,
  setUp,
  demo,
  audit,
];

function isEndpoint(value: unknown): value is AnyEndpoint {
  return typeof value === "object" && value !== null && "method" in value && "path" in value && "reply" in value;
}

export const calls: readonly AnyEndpoint[] = modules.flatMap((module) => Object.values(module).filter(isEndpoint));
