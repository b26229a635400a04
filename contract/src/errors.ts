// The error catalog, with number, message and HTTP status per error (docs/rules/errors.md#server-codes).

type Entry = { code: number; status: number; message: string };

/** Server codes 100–402 and 409. The messages must not change, not even their typos ("occured"). */
export const serverErrors = {
  databaseError: { code: 100, status: 500, message: "A database error occured." }, // fixed
  internalError: { code: 101, status: 500, message: "An internal server error occured." }, // fixed
  invalidArgument: { code: 102, status: 400, message: "An invalid argument was given." }, // fixed
  invalidOwner: { code: 103, status: 400, message: "The given owner is invalid." }, // fixed
  missingArgument: { code: 104, status: 400, message: "An argument is missing." }, // fixed
  notFound: { code: 105, status: 404, message: "Not found." },
  unauthorized: { code: 106, status: 401, message: "Unauthorized access." }, // fixed
  invalidRole: { code: 107, status: 400, message: "The given role is invalid." }, // fixed
  nameMissing: { code: 108, status: 400, message: "The name is missing." }, // fixed
  nameUsed: { code: 109, status: 409, message: "Name is already used." }, // fixed
  credentialsMissing: { code: 200, status: 400, message: "Credentials are missing." }, // fixed
  emailTwice: { code: 201, status: 400, message: "An email address can only be used once per account." }, // fixed
  emailMissing: { code: 202, status: 400, message: "Email is missing." }, // fixed
  invalidEmail: { code: 204, status: 400, message: "Invalid email." }, // fixed
  invalidPassword: { code: 205, status: 400, message: "Invalid password." }, // fixed
  passwordMissing: { code: 206, status: 400, message: "Password is missing." }, // fixed
  registrationIncomplete: {
    code: 207,
    status: 409,
    message: "Account registration incomplete. Please complete the registration before changing the credentials.", // fixed
  },
  noAssignRole: { code: 300, status: 403, message: "No permission to assign the given role." }, // fixed
  noAssignSensor: { code: 301, status: 403, message: "No permission to assign the given sensor." }, // fixed
  noChangeOwner: { code: 302, status: 403, message: "No permission to change the owner." }, // fixed
  noCreate: { code: 303, status: 403, message: "No permission to create the given entity." }, // fixed
  noDelete: { code: 304, status: 403, message: "No permission to delete the given entity." }, // fixed
  noEdit: { code: 305, status: 403, message: "No permission to edit the given entity." }, // fixed
  noPermission: { code: 306, status: 403, message: "No permission." }, // fixed
  permissionCheckFailed: { code: 307, status: 503, message: "Failed to check permission, please try again." }, // fixed
  roleTooPowerful: {
    code: 308,
    status: 403,
    message: "The role can not have more powerful permissions than your own role.", // fixed
  },
  noUseFirmware: { code: 309, status: 403, message: "No permission to use the given artifact." }, // fixed
  noView: { code: 310, status: 403, message: "No permission to view the given entity." }, // fixed
  invalidInput: {
    code: 400,
    status: 400,
    message: "Invalid input. Remove special characters like '<>', '[]', '{}'.", // fixed
  },
  datapointFormat: { code: 401, status: 400, message: "Data point does not comply with its data type format." }, // fixed
  invalidFieldType: { code: 402, status: 400, message: "A given field has an invalid type." }, // fixed
  emailUsed: { code: 409, status: 409, message: "Email is already used." }, // fixed
} as const satisfies Record<string, Entry>;

/** Codes 500–511: failures between server and sensor. */
export const sensorErrors = {
  sensorError: { code: 500, status: 502, message: "Sensor error" },
  comLinkMeasurement: { code: 501, status: 502, message: "Com-link error (measurement)" }, // fixed
  messageMeasurement: { code: 502, status: 502, message: "Failed to handle message (measurement)" }, // fixed
  invalidRpc: { code: 503, status: 502, message: "Invalid RPC to measurement" }, // fixed
  rpcTimeout: { code: 504, status: 504, message: "Forwarding RPC failed (measurement)" }, // fixed
  rpcReply: { code: 505, status: 502, message: "Replying to RPC failed (measurement)" }, // fixed
  terminateMeasurement: { code: 506, status: 502, message: "Failed to terminate measurement service" }, // fixed
  configureMeasurement: { code: 507, status: 502, message: "Failed to configure measurement" }, // fixed
  changeMeasurement: { code: 508, status: 502, message: "Changing measurement configuration failed" }, // fixed
  comLinkSensor: { code: 509, status: 502, message: "Com-link error (sensor)" }, // fixed
  messageSensor: { code: 510, status: 502, message: "Failed to handle message (sensor)" }, // fixed
  terminateSensor: { code: 511, status: 502, message: "Failed to terminate sensor service" }, // fixed
} as const satisfies Record<string, Entry>;

/** Client codes 1–13, detected by the console. Pages may show more specific messages. */
export const clientErrors = {
  cantChangeOwnerFrom: { code: 1, message: "You have no permission to change the owner." },
  createForEmpty: { code: 2, message: "There is no account you can create this for." },
  noAccount: { code: 3, message: "No account exists." },
  noAccountAssignable: { code: 4, message: "You have no permission to make any account the owner." },
  noRole: { code: 5, message: "No role exists." },
  noRoleAssignable: { code: 6, message: "You have no role to assign." },
  noSensor: { code: 7, message: "No sensor exists." },
  noSensorAssignable: { code: 8, message: "You have no permission to assign any sensor." },
  noArtifact: { code: 9, message: "No artifact for deployment existing." }, // fixed
  noArtifactAssignable: { code: 10, message: "You have no permission to use any artifact." }, // fixed
  serverConnectionError: { code: 11, message: "No connection to server." }, // fixed
  sensorSnapshotFailed: { code: 12, message: "Failed to get a sensor snapshot." }, // fixed
  requestFailed: { code: 13, message: "The request failed." },
} as const;

type ByName = typeof serverErrors & typeof sensorErrors;
export type ErrorName = keyof ByName;
export type ServerErrorCode = ByName[ErrorName]["code"];
export type ClientErrorCode = (typeof clientErrors)[keyof typeof clientErrors]["code"];

export type ErrorEntry = Entry & { name: ErrorName; code: ServerErrorCode };

const byName: ByName = { ...serverErrors, ...sensorErrors };
export const errorEntries = (Object.keys(byName) as ErrorName[])
  .map((name): ErrorEntry => ({ name, ...byName[name] }))
  .toSorted((a, b) => a.code - b.code);
const byCode = new Map<number, ErrorEntry>(errorEntries.map((entry) => [entry.code, entry]));

/** Error numbers by name: `errorCode.notFound` is 105. */
export const errorCode = Object.fromEntries(errorEntries.map(({ name, code }) => [name, code])) as {
  readonly [Name in ErrorName]: ByName[Name]["code"];
};

export const isServerErrorCode = (code: number): code is ServerErrorCode => byCode.has(code);

/** Whether the failure lies between server and sensor. */
export const isSensorErrorCode = (code: ServerErrorCode): boolean => errorEntry(code).name in sensorErrors;

export function errorEntry(code: ServerErrorCode): ErrorEntry {
  return byCode.get(code) as ErrorEntry;
}
