// The whole error catalog: what each number means, its sentence, and its HTTP status (docs/rules/errors.md#server-codes).

type Entry = { code: number; status: number; message: string };

/** Server codes 100–402 and 409. The sentences are fixed, mistakes included ("occured"). */
export const serverErrors = {
  databaseError: { code: 100, status: 500, message: "A database error occured." }, // spec
  internalError: { code: 101, status: 500, message: "An internal server error occured." }, // spec
  invalidArgument: { code: 102, status: 400, message: "An invalid argument was given." }, // spec
  invalidOwner: { code: 103, status: 400, message: "The given owner is invalid." }, // spec
  missingArgument: { code: 104, status: 400, message: "An argument is missing." }, // spec
  notFound: { code: 105, status: 404, message: "Not found." },
  unauthorized: { code: 106, status: 401, message: "Unauthorized access." }, // spec
  invalidRole: { code: 107, status: 400, message: "The given role is invalid." }, // spec
  nameMissing: { code: 108, status: 400, message: "The name is missing." }, // spec
  nameUsed: { code: 109, status: 409, message: "Name is already used." }, // spec
  credentialsMissing: { code: 200, status: 400, message: "Credentials are missing." }, // spec
  emailTwice: { code: 201, status: 400, message: "An email address can only be used once per account." }, // spec
  emailMissing: { code: 202, status: 400, message: "Email is missing." }, // spec
  invalidEmail: { code: 204, status: 400, message: "Invalid email." }, // spec
  invalidPassword: { code: 205, status: 400, message: "Invalid password." }, // spec
  passwordMissing: { code: 206, status: 400, message: "Password is missing." }, // spec
  registrationIncomplete: {
    code: 207,
    status: 409,
    message: "Account registration incomplete. Please complete the registration before changing the credentials.", // spec
  },
  noAssignRole: { code: 300, status: 403, message: "No permission to assign the given role." }, // spec
  noAssignSensor: { code: 301, status: 403, message: "No permission to assign the given sensor." }, // spec
  noChangeOwner: { code: 302, status: 403, message: "No permission to change the owner." }, // spec
  noCreate: { code: 303, status: 403, message: "No permission to create the given entity." }, // spec
  noDelete: { code: 304, status: 403, message: "No permission to delete the given entity." }, // spec
  noEdit: { code: 305, status: 403, message: "No permission to edit the given entity." }, // spec
  noPermission: { code: 306, status: 403, message: "No permission." }, // spec
  permissionCheckFailed: { code: 307, status: 503, message: "Failed to check permission, please try again." }, // spec
  roleTooPowerful: {
    code: 308,
    status: 403,
    message: "The role can not have more powerful permissions than your own role.", // spec
  },
  noUseFirmware: { code: 309, status: 403, message: "No permission to use the given artifact." }, // spec
  noView: { code: 310, status: 403, message: "No permission to view the given entity." }, // spec
  invalidInput: {
    code: 400,
    status: 400,
    message: "Invalid input. Remove special characters like '<>', '[]', '{}'.", // spec
  },
  datapointFormat: { code: 401, status: 400, message: "Data point does not comply with its data type format." }, // spec
  invalidFieldType: { code: 402, status: 400, message: "A given field has an invalid type." }, // spec
  emailUsed: { code: 409, status: 409, message: "Email is already used." }, // spec
} as const satisfies Record<string, Entry>;

/** Codes 500–511: something between the server and a sensor went wrong. */
export const sensorErrors = {
  sensorError: { code: 500, status: 502, message: "Sensor error" },
  comLinkMeasurement: { code: 501, status: 502, message: "Com-link error (measurement)" }, // spec
  messageMeasurement: { code: 502, status: 502, message: "Failed to handle message (measurement)" }, // spec
  invalidRpc: { code: 503, status: 502, message: "Invalid RPC to measurement" }, // spec
  rpcTimeout: { code: 504, status: 504, message: "Forwarding RPC failed (measurement)" }, // spec
  rpcReply: { code: 505, status: 502, message: "Replying to RPC failed (measurement)" }, // spec
  terminateMeasurement: { code: 506, status: 502, message: "Failed to terminate measurement service" }, // spec
  configureMeasurement: { code: 507, status: 502, message: "Failed to configure measurement" }, // spec
  changeMeasurement: { code: 508, status: 502, message: "Changing measurement configuration failed" }, // spec
  comLinkSensor: { code: 509, status: 502, message: "Com-link error (sensor)" }, // spec
  messageSensor: { code: 510, status: 502, message: "Failed to handle message (sensor)" }, // spec
  terminateSensor: { code: 511, status: 502, message: "Failed to terminate sensor service" }, // spec
} as const satisfies Record<string, Entry>;

/** Client codes 1–13: what the console itself found out. The sentence is the general one; pages have finer ones. */
export const clientErrors = {
  cantChangeOwnerFrom: { code: 1, message: "You have no permission to change the owner." },
  createForEmpty: { code: 2, message: "There is no account existing that you can create this for." },
  noAccount: { code: 3, message: "There is no account existing." },
  noAccountAssignable: { code: 4, message: "You have no permission to make any account the owner." },
  noRole: { code: 5, message: "There is no role existing." },
  noRoleAssignable: { code: 6, message: "You have no role to assign." },
  noSensor: { code: 7, message: "There is no sensor existing." },
  noSensorAssignable: { code: 8, message: "You have no permission to assign any sensor." },
  noArtifact: { code: 9, message: "No artifact for deployment existing." }, // spec
  noArtifactAssignable: { code: 10, message: "You have no permission to use any artifact." }, // spec
  serverConnectionError: { code: 11, message: "No connection to server." }, // spec
  sensorSnapshotFailed: { code: 12, message: "Failed to get a sensor snapshot." }, // spec
  requestFailed: { code: 13, message: "The request failed." },
} as const;

type ByName = typeof serverErrors & typeof sensorErrors;
export type ErrorName = keyof ByName;
export type ServerErrorCode = ByName[ErrorName]["code"];
export type ClientErrorCode = (typeof clientErrors)[keyof typeof clientErrors]["code"];

export type ErrorEntry = Entry & { name: ErrorName; code: ServerErrorCode };

const byName: ByName = { ...serverErrors, ...sensorErrors };
/** Every server and sensor error, by number. */
export const errorEntries = (Object.keys(byName) as ErrorName[])
  .map((name): ErrorEntry => ({ name, ...byName[name] }))
  .toSorted((a, b) => a.code - b.code);
const byCode = new Map<number, ErrorEntry>(errorEntries.map((entry) => [entry.code, entry]));

/** The number of every server and sensor error, by its name: `errorCode.notFound` is 105. */
export const errorCode = Object.fromEntries(errorEntries.map(({ name, code }) => [name, code])) as {
  readonly [Name in ErrorName]: ByName[Name]["code"];
};

/** Whether the catalog knows the number as a server or sensor error. */
export const isServerErrorCode = (code: number): code is ServerErrorCode => byCode.has(code);

/** Whether the error lies between the server and a sensor. */
export const isSensorErrorCode = (code: ServerErrorCode): boolean => errorEntry(code).name in sensorErrors;

/** Name, status and sentence of a server or sensor error. */
export function errorEntry(code: ServerErrorCode): ErrorEntry {
  return byCode.get(code) as ErrorEntry;
}
