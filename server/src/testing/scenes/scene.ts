// One object of every kind on a running server, and a valid input for every call of the contract.
import { calls } from "@psp/contract/api.ts";
import { type AnyEndpoint, hasListBody } from "@psp/contract/kit/endpoint.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { createStillClock } from "../snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../world.ts";

export type SceneIds = {
  account: string;
  child: string;
  role: string;
  sensor: string;
  batch: string;
  location: string;
  event: string;
  initToken: string;
  report: string;
  firmware: string;
  issue: string;
  vehicle: string;
};
export type Scene = {
  world: World;
  customer: Person;
  viewer: Person;
  stranger: Person;
  roleless: Person;
  ids: SceneIds;
};

export const everywhere = { me: true, myChildren: true };
const seesAll = { canViewObject: everywhere };
const upwards = { me: true, relativeAncestorLevel: 1 };

/**
 * A customer with one object of each kind, an account that may only view these objects, an unrelated account, and an
 * account without a role.
 */
export async function createScene(env: Record<string, string> = {}): Promise<Scene> {
  const world = await createWorld({ env, clock: createStillClock() });
  const customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const child = await world.account("Branch", customer, { ownable: { sensor: seesAll } });
  const view = { canViewObject: upwards };
  const viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { artifact: view, measurement: view, role: view, sensor: view },
  });
  const stranger = await world.account("Other Customer", world.root, fullPermissions);
  const roleless = await world.account("Someone", customer, null);
  const make = async (path: string, body: JsonObject) => (await world.call(customer, "POST", path, { body })).id;
  const owner = customer.id;
  const ids = {
    account: customer.id,
    child: child.id,
    role: await make("/api/role", { name: "Janitor", owner }),
    sensor: await make("/api/sensor", { _id: "02:00:00:00:00:01", owner, type: "APS" }),
    location: await make("/api/measurement", { name: "Harbour Shop", owner }),
    initToken: await make("/api/init_token", { name: "Roll-out", owner }),
    report: await make("/api/report", newReport(owner, "Weekly numbers")),
    firmware: (await world.upload(customer, { type: "APS", name: "1.2.3" }, new TextEncoder().encode("image"))).id,
    event: "",
    batch: "",
    issue: "0190a000-0000-7000-8000-000000000001",
    vehicle: `${owner}_tram-1`,
  };
  const sale = { name: "Sale", from: "2024-05-06", to: "2024-05-11", scope: { measIDs: [ids.location] } };
  ids.event = await make("/api/v2/event", sale);
  const all = { sensorIDs: [ids.sensor], changes: { groups: ["south"] } };
  await world.call(customer, "PUT", "/api/v2/sensor/batch-update", { body: all });
  ids.batch = String((await world.call(customer, "GET", "/api/v2/sensor/batches")).list[0]?.["_id"]);
  await layOutClaimable(world, stranger);
  await layOutIssue(world, customer, ids);
  await layOutCoach(world, customer);
  return { world, customer, viewer, stranger, roleless, ids };
}

function newReport(owner: string, name: string): JsonObject {
  const schedule = { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" };
  return { name, owner, range: "lastWeek", recipients: ["manager@example.com"], schedule };
}

const claimable = { id: "02:00:00:00:00:02", code: "SCENE234" };

async function layOutClaimable(world: World, owner: Person): Promise<void> {
  const { id, code } = claimable;
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
  await world.ctx.db.updateTable("sensor").set({ claimable: true, claiming_code: code }).where("id", "=", id).execute();
}

/** An open issue of a sensor that no sample uses. */
async function layOutIssue(world: World, customer: Person, { issue }: SceneIds): Promise<void> {
  const { db, clock } = world.ctx;
  const id = "02:00:00:00:00:03";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "APS" } });
  const { num } = await db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const what = { sensor_num: num, issue_type: "osd", issue_status: "Warning" } as const;
  const [start_ms, end_ms] = [clock.now(), clock.now()];
  const found = { issue_message: "The lens is covered", location_id: null, start_ms, end_ms };
  await db
    .insertInto("monitoring_status")
    .values({ id: issue, ...what, ...found })
    .execute();
  const owner = { owner_id: customer.id, owner_path: customer.path };
  await db
    .insertInto("sensor_issue")
    .values({
      ...what,
      ...owner,
      status_id: issue,
      opened_id: issue,
      opened_ms: start_ms,
      started_ms: start_ms,
      sensor_id: id,
    })
    .execute();
}

/** The only coach of the vehicle `tram-1`. */
async function layOutCoach(world: World, customer: Person): Promise<void> {
  const id = "02:00:00:00:00:04";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "ZOD" } });
  const { db, clock } = world.ctx;
  const { num } = await db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const sections = [{ id: "s1", name: "Main", levelId: "l1", seats: 20, standing: 10 }];
  const values = { coach: { name: "Coach", vehicleId: "tram-1", carriageSequence: 1 }, levels: [], sections };
  const answer = JSON.stringify({ rev: 1, values });
  await db
    .insertInto("sensor_section")
    .values({ sensor_num: num, section: "group", answer, read_at: clock.date() })
    .execute();
}

export type SampleInput = { params?: Record<string, string>; query?: string; body?: JsonObject | JsonObject[] };

const at = (id: string): SampleInput => ({ params: { id } });

const registrationForm = {
  name: "Harbour Stores",
  phone: "+49 30 1234",
  street: "Quay",
  streetNumber: "7a",
  zip: "10115",
  city: "Bad Homburg",
  country: "Germany",
  legal: {
    firstName: "Anne-Marie",
    familyName: "O'Brien",
    department: "Sales",
    dpaAcceptedAt: "2024-06-01T00:00:00Z",
    eulaAcceptedAt: "2024-06-01T00:00:00Z",
  },
  credentials: { password: "violet-lantern-quay" },
};

/** An input per call for the scene's customer; `n` makes names and ids distinct. */
const samples: Record<string, (ids: SceneIds, n: number) => SampleInput> = {
  login: () => ({ body: { email: "someone@example.com", password: "violet-harbour-lantern" } }),
  getSessionUser: () => ({}),
  createTicket: () => ({}),
  listSessions: () => ({}),
  getDemo: () => ({}),
  endOtherSessions: () => ({}),
  endSession: () => at("0190a000-0000-7000-8000-ffffffffffff"),
  evaluatePassword: () => ({ body: { password: "violet-harbour-lantern" } }),
  forgotPassword: () => ({ body: { email: "someone@example.com" } }),
  resetPassword: () => ({ query: "token=not-a-token", body: { password: "violet-harbour-lantern" } }),
  getRegistration: (ids) => ({ params: { id: ids.account, regId: "not-a-registration" } }),
  completeRegistration: (ids) => ({ params: { id: ids.account, regId: "not-a-registration" }, body: registrationForm }),
  getVerification: (ids) => ({ params: { id: ids.account, regId: "not-a-registration", code: "not-a-code" } }),
  verifyRegistration: (ids) => ({ params: { id: ids.account, regId: "not-a-registration", code: "not-a-code" } }),
  endRegistration: (ids) => ({ params: { id: ids.account, regId: "not-a-registration", code: "not-a-code" } }),
  signUp: (_, n) => ({
    body: { ...registrationForm, credentials: { ...registrationForm.credentials, email: `sign-up-${n}@example.com` } },
  }),
  listAccounts: () => ({ query: "includeTotals=true" }),
  listCustomers: () => ({ query: "includeTotals=true&trouble=errors" }),
  getAccount: (ids) => at(ids.account),
  inviteColleague: (_, n) => ({ body: { email: `colleague-${n}@example.com`, access: "viewer" } }),
  createAccount: (ids, n) => ({ body: { name: `Branch ${n}`, role: ids.role, email: `branch-${n}@example.com` } }),
  updateAccount: (ids, n) => ({ ...at(ids.child), body: { name: `Branch ${n}`, street: "Quay" } }),
  deleteAccount: (ids) => at(ids.child),
  importAccounts: () => ({}),
  listStandings: (ids) => ({ query: `ids=${ids.account}&ids=${ids.child}` }),
  findCreation: () => ({}),
  getAccess: (ids) => ({ query: `account=${ids.child}&type=sensor&id=${ids.sensor}` }),
  listRoles: () => ({}),
  getRole: (ids) => at(ids.role),
  createRole: (ids, n) => ({ body: { name: `Role ${n}`, owner: ids.account, permissions: {} } }),
  updateRole: (ids, n) => ({ ...at(ids.role), body: { name: `Role ${n}` } }),
  previewRole: (ids) => ({ ...at(ids.role), body: { account: ids.child, permissions: {} } }),
  listStrongerRoles: (ids) => ({ ...at(ids.role), body: { permissions: {} } }),
  deleteRole: (ids) => at(ids.role),
  listSensors: () => ({ query: "includeTotals=true" }),
  sensorStats: () => ({ query: "connectionTimeout=24" }),
  getSensor: (ids) => at(ids.sensor),
  createSensor: (ids, n) => ({ body: { owner: ids.account, _id: macOf(n), type: "APS" } }),
  updateSensor: (ids) => ({ ...at(ids.sensor), body: { groups: ["north"] } }),
  deleteSensor: (ids) => at(ids.sensor),
  batchUpdateSensors: (ids) => ({ body: { sensorIDs: [ids.sensor], changes: { groups: ["north"] } } }),
  batchDeleteSensors: (ids) => ({ body: { sensorIDs: [ids.sensor], expectedCount: 1 } }),
  listSensorBatches: () => ({}),
  getSensorBatch: (ids) => at(ids.batch),
  cancelSensorBatch: (ids) => at(ids.batch),
  grantSensorLicenses: (ids) => ({ ...at(ids.sensor), body: { monitoring: true } }),
  replaceSensor: (ids) => ({ ...at(ids.sensor), body: { sensorID: "02:00:00:00:00:04" } }),
  checkReplacement: (ids) => ({ ...at(ids.sensor), body: { sensorID: "02:00:00:00:00:04" } }),
  undoReplacement: (ids) => ({ ...at(ids.sensor), body: { replacement: ids.issue } }),
  requestSensor: (ids) => ({ ...at(ids.sensor), body: { func: "getSnapshot", data: "", timeout: 10_000 } }),
  publishToSensor: (ids) => ({ ...at(ids.sensor), body: { func: "getSnapshot", data: "", timeout: 10_000 } }),
  callPsconnect: (ids) => ({
    ...at(ids.sensor),
    body: {
      func: "getAutoLoginToken",
      params: { service: "device-hmi", user: "user-role-edit", reason: "", minutes: 60 },
    },
  }),
  listRemoteSessions: (ids) => at(ids.sensor),
  changeRemoteSession: (ids) => ({ params: { id: ids.sensor, sessionId: ids.batch }, body: { minutes: 60 } }),
  endRemoteSession: (ids) => ({ params: { id: ids.sensor, sessionId: ids.batch } }),
  getRemoteConsent: () => ({}),
  setRemoteConsent: () => ({ body: { required: false } }),
  getFeedToken: () => ({}),
  createFeedToken: () => ({}),
  endFeedToken: () => ({}),
  getVehiclePositions: (ids) => ({ ...at(ids.account), query: "token=not-a-token" }),
  listVehicles: () => ({ query: "includeTotals=true" }),
  getVehicle: (ids) => at(ids.vehicle),
  getVehicleDay: (ids) => ({ ...at(ids.vehicle), query: "date=2024-05-06" }),
  rpcSensor: (ids) => ({
    ...at(ids.sensor),
    body: { jsonrpc: "2.0", id: 1, method: "config.get", params: { section: "camera" } },
  }),
  receiveUploadTest: () => ({ params: { ticket: "not-a-ticket" } }),
  enrolDevice: () => ({ body: { token: "not-a-token", id: "02:00:00:00:00:99", type: "APS", nonce: "n", time: 0 } }),
  findClaimable: () => ({ params: { code: claimable.code } }),
  claimSensors: () => ({ body: { sensors: [{ id: claimable.id, type: "APS", claimingCode: claimable.code }] } }),
  listInitTokens: () => ({}),
  getInitToken: (ids) => at(ids.initToken),
  createInitToken: (ids, n) => ({ body: { name: `Token ${n}`, owner: ids.account } }),
  updateInitToken: (ids, n) => ({ ...at(ids.initToken), body: { name: `Token ${n}` } }),
  deleteInitToken: (ids) => at(ids.initToken),
  listLocations: () => ({ query: "includeTotals=true" }),
  findLocations: (ids) => ({ query: `ids=${ids.location}` }),
  locationStats: () => ({}),
  listLocationTags: () => ({}),
  getLocation: (ids) => at(ids.location),
  createLocation: (ids, n) => ({ body: { name: `Shop ${n}`, owner: ids.account, tags: ["north"] } }),
  updateLocation: (ids, n) => ({
    ...at(ids.location),
    body: { name: `Shop ${n}`, location: { address: { city: "Bad Homburg" } } },
  }),
  deleteLocation: (ids) => at(ids.location),
  batchUpdateLocations: (ids) => ({
    body: { measIDs: [ids.location], changes: { location: { address: { city: "Bad Homburg" } } } },
  }),
  batchUndoLocations: (ids) => ({ body: { undoIDs: [ids.location] } }),
  batchDeleteLocations: (ids) => ({ body: { measIDs: [ids.location], expectedCount: 1 } }),
  getAccountOpeningHours: (ids) => at(ids.account),
  setAccountOpeningHours: (ids, n) => ({
    ...at(ids.child),
    body: { openingHours: { week: { mo: [{ from: "09:00", to: `1${n % 10}:30` }] } } },
  }),
  getLocationOpeningDays: (ids) => ({ ...at(ids.location), query: "from=2024-05-06&days=7" }),
  listHolidayCalendars: () => ({}),
  listHolidays: () => ({ query: "country=DE&region=BE&year=2024" }),
  listEvents: () => ({ query: "includeTotals=true" }),
  getEvent: (ids) => at(ids.event),
  createEvent: (ids, n) => ({
    body: { name: `Sale ${n}`, from: "2024-05-06", to: "2024-05-11", scope: { measIDs: [ids.location] } },
  }),
  updateEvent: (ids, n) => ({ ...at(ids.event), body: { name: `Sale ${n}` } }),
  deleteEvent: (ids) => at(ids.event),
  putSales: (ids, n) => ({
    ...at(ids.location),
    body: [
      {
        start: "2024-05-06T10:00:00Z",
        end: "2024-05-06T11:00:00Z",
        transactions: n,
        revenue: 12.5,
        currency: "EUR",
        staffHours: 2,
      },
    ],
  }),
  listSales: (ids) => ({ ...at(ids.location), query: "from=2024-05-06T00:00:00Z&includeTotals=true" }),
  deleteSales: (ids) => ({ ...at(ids.location), query: "from=2024-05-06T00:00:00Z&to=2024-05-07T00:00:00Z" }),
  importSales: () => ({}),
  geocode: () => ({ query: "q=Bad%20Homburg" }),
  grantLocationLicenses: (ids) => ({ ...at(ids.location), body: { buildings: true } }),
  listFirmware: () => ({}),
  getRollout: (ids) => at(ids.firmware),
  getFirmware: (ids) => at(ids.firmware),
  createFirmware: () => ({}),
  getFirmwarePackage: (ids) => at(ids.firmware),
  fetchFirmware: () => ({ params: { token: "not-a-token" } }),
  updateFirmware: (ids) => ({ ...at(ids.firmware), body: { objPerm: { childrenCanViewObject: true } } }),
  deleteFirmware: (ids) => at(ids.firmware),
  listLocationDatapoints: (ids) => ({ ...at(ids.location), query: "type=occupancy" }),
  listSensorDatapoints: (ids) => at(ids.sensor),
  createDatapoint: (ids) => ({
    ...at(ids.location),
    body: { type: "occupancy", startUTC: "2024-05-06T10:00:00Z", endUTC: "2024-05-06T10:05:00Z", data: { count: 3 } },
  }),
  downloadJson: (ids) => ({ query: `filter=meas:${ids.location}:occupancy&preset=today` }),
  downloadCsv: (ids) => ({ query: `filter=meas:${ids.location}:occupancy&preset=today` }),
  aggregateJson: (ids) => ({ query: `filter=meas:${ids.location}:counting&preset=today&acc=hour` }),
  aggregateCsv: (ids) => ({ query: `filter=meas:${ids.location}:counting&preset=today&acc=hour` }),
  aggregateXlsx: (ids) => ({ query: `filter=meas:${ids.location}:counting&preset=today&acc=hour` }),
  getCounts: (ids) => ({ query: `filter=meas:${ids.location}&range=yesterday` }),
  getTypicalWeek: (ids) => ({ query: `filter=meas:${ids.location}&range=last30days` }),
  listLocationCounts: () => ({ query: "range=last7days" }),
  totalCounts: () => ({ query: "range=today" }),
  todayCounts: () => ({ query: "open=true" }),
  countsFile: () => ({ query: "range=last7days&format=csv" }),
  listDataProblems: (ids) => ({ query: `sens=${ids.sensor}` }),
  listIssues: (ids) => ({ query: `sensorIDs=${ids.sensor}&includeTotals=true` }),
  getIssue: (ids) => at(ids.issue),
  countOpenIssues: () => ({}),
  listAssignees: (ids) => ({ query: `ids=${ids.issue}` }),
  changeIssues: (ids) => ({ body: { ids: [ids.issue], changes: { note: "Lens cleaned" } } }),
  undoIssueChanges: () => ({ body: { undoIDs: ["01a400bf-4780-761d-acf0-ccdff29cf9f8"] } }),
  acknowledgeIssues: (ids) => ({
    body: { ids: [ids.issue], changes: { data: { acknowledgedAt: "2024-05-06T10:00:00.000Z" } } },
  }),
  listProblems: () => ({ query: "includeTotals=true" }),
  solveProblem: (ids) => at(ids.issue),
  solveAllProblems: () => ({}),
  listLocationsWithIssues: () => ({}),
  listSensorsWithIssues: () => ({ query: "includeTotals=true" }),
  exchangeDisplayKey: (ids) => ({ ...at(ids.location), body: { k: "x" } }),
  getDisplay: (ids) => at(ids.location),
  checkDisplayLink: (ids) => ({ ...at(ids.location), body: { k: "x" } }),
  revokeDisplayTokens: (ids) => at(ids.location),
  getOccupancyLedger: (ids) => at(ids.location),
  correctOccupancy: (ids, n) => ({ ...at(ids.location), body: { count: n } }),
  listDeadLetters: (ids) => ({ query: `sens=${ids.sensor}` }),
  getWeeklyReport: () => ({}),
  setWeeklyReport: (_, n) => ({ body: { enabled: n % 2 === 0 } }),
  getSetUp: () => ({}),
  dismissSetUp: (_, n) => ({ body: { dismissed: n % 2 === 0 } }),
  listReports: () => ({}),
  getReport: (ids) => at(ids.report),
  createReport: (ids, n) => ({ body: newReport(ids.account, `Report ${n}`) }),
  updateReport: (ids, n) => ({ ...at(ids.report), body: { name: `Report ${n}` } }),
  deleteReport: (ids) => at(ids.report),
  sendReport: (ids) => at(ids.report),
  previewReport: (ids) => at(ids.report),
  listReportRuns: (ids) => at(ids.report),
  getReportFile: (ids) => ({ params: { id: ids.report, run: ids.batch, format: "pdf" } }),
  getReportEnding: () => ({ query: "token=not-a-token" }),
  unsubscribe: () => ({ body: { token: "not-a-token" } }),
  confirmAlerts: () => ({ body: { token: "not-a-token" } }),
  listAudit: () => ({ query: "includeTotals=true" }),
  exportAudit: (ids) => ({ query: `objectType=measurement&objectID=${ids.location}` }),
};

export function macOf(n: number): string {
  return (0x020000010000 + n)
    .toString(16)
    .padStart(12, "0")
    .toUpperCase()
    .replaceAll(/..(?=.)/g, "$&:");
}

/** Throws for a call without a sample, so that no new call stays untested. */
export function sampleOf(call: AnyEndpoint, ids: SceneIds, n = 0): SampleInput {
  const make = samples[call.name];
  if (!make) throw new Error(`${call.name} has no sample in scene.ts`);
  return make(ids, n);
}

export function addressOf(call: AnyEndpoint, { params = {}, query }: SampleInput): string {
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return (call.root ?? "/api") + path + (query === undefined ? "" : `?${query}`);
}

/** Their bodies are objects. */
export const writingCalls = calls.filter((call) => call.caller === "session" && call.body && !hasListBody(call));
