// The whole error catalog (spec 3 §8): what each number means, its sentence, and the HTTP status it travels with (decisions 3).

type Entry = { name: string; status: number; message: string };

/** Server codes 100–402 and 409. The sentences are the specification's, mistakes included ("occured"). */
export const serverErrors = {
  100: { name: "databaseError", status: 500, message: "A database error occured." }, // spec
  101: { name: "internalError", status: 500, message: "An internal server error occured." }, // spec
  102: { name: "invalidArgument", status: 400, message: "An invalid argument was given." }, // spec
  103: { name: "invalidOwner", status: 400, message: "The given owner is invalid." }, // spec
  104: { name: "missingArgument", status: 400, message: "An argument is missing." }, // spec
  105: { name: "notFound", status: 404, message: "Not found." },
  106: { name: "unauthorized", status: 401, message: "Unauthorized access." }, // spec
  107: { name: "invalidRole", status: 400, message: "The given role is invalid." }, // spec
  108: { name: "nameMissing", status: 400, message: "The name is missing." }, // spec
  109: { name: "nameUsed", status: 409, message: "Name is already used." }, // spec
  200: { name: "credentialsMissing", status: 400, message: "Credentials are missing." }, // spec
  201: { name: "emailTwice", status: 400, message: "An email address can only be used once per account." }, // spec
  202: { name: "emailMissing", status: 400, message: "Email is missing." }, // spec
  204: { name: "invalidEmail", status: 400, message: "Invalid email." }, // spec
  205: { name: "invalidPassword", status: 400, message: "Invalid password." }, // spec
  206: { name: "passwordMissing", status: 400, message: "Password is missing." }, // spec
  207: {
    name: "registrationIncomplete",
    status: 409,
    message: "Account registration incomplete. Please complete the registration before changing the credentials.", // spec
  },
  300: { name: "noAssignRole", status: 403, message: "No permission to assign the given role." }, // spec
  301: { name: "noAssignSensor", status: 403, message: "No permission to assign the given sensor." }, // spec
  302: { name: "noChangeOwner", status: 403, message: "No permission to change the owner." }, // spec
  303: { name: "noCreate", status: 403, message: "No permission to create the given entity." }, // spec
  304: { name: "noDelete", status: 403, message: "No permission to delete the given entity." }, // spec
  305: { name: "noEdit", status: 403, message: "No permission to edit the given entity." }, // spec
  306: { name: "noPermission", status: 403, message: "No permission." }, // spec
  307: { name: "permissionCheckFailed", status: 503, message: "Failed to check permission, please try again." }, // spec
  308: {
    name: "roleTooPowerful",
    status: 403,
    message: "The role can not have more powerful permissions than your own role.", // spec
  },
  309: { name: "noUseFirmware", status: 403, message: "No permission to use the given artifact." }, // spec
  310: { name: "noView", status: 403, message: "No permission to view the given entity." }, // spec
  400: {
    name: "invalidInput",
    status: 400,
    message: "Invalid input. Remove special characters like '<>', '[]', '{}'.", // spec
  },
  401: { name: "datapointFormat", status: 400, message: "Data point does not comply with its data type format." }, // spec
  402: { name: "invalidFieldType", status: 400, message: "A given field has an invalid type." }, // spec
  409: { name: "emailUsed", status: 409, message: "Email is already used." }, // spec
} as const satisfies Record<number, Entry>;

/** Codes 500–511: something between the server and a sensor went wrong (spec 2 §8). */
export const sensorErrors = {
  500: { name: "sensorError", status: 502, message: "Sensor error" },
  501: { name: "comLinkMeasurement", status: 502, message: "Com-link error (measurement)" }, // spec
  502: { name: "messageMeasurement", status: 502, message: "Failed to handle message (measurement)" }, // spec
  503: { name: "invalidRpc", status: 502, message: "Invalid RPC to measurement" }, // spec
  504: { name: "rpcTimeout", status: 504, message: "Forwarding RPC failed (measurement)" }, // spec
  505: { name: "rpcReply", status: 502, message: "Replying to RPC failed (measurement)" }, // spec
  506: { name: "terminateMeasurement", status: 502, message: "Failed to terminate measurement service" }, // spec
  507: { name: "configureMeasurement", status: 502, message: "Failed to configure measurement" }, // spec
  508: { name: "changeMeasurement", status: 502, message: "Changing measurement configuration failed" }, // spec
  509: { name: "comLinkSensor", status: 502, message: "Com-link error (sensor)" }, // spec
  510: { name: "messageSensor", status: 502, message: "Failed to handle message (sensor)" }, // spec
  511: { name: "terminateSensor", status: 502, message: "Failed to terminate sensor service" }, // spec
} as const satisfies Record<number, Entry>;

/** Client codes 1–13: what the console itself found out (spec 1 §8). The sentence is the general one; pages have finer ones. */
export const clientErrors = {
  1: { name: "cantChangeOwnerFrom", message: "You have no permission to change the owner." },
  2: { name: "createForEmpty", message: "There is no account existing that you can create this for." },
  3: { name: "noAccount", message: "There is no account existing." },
  4: { name: "noAccountAssignable", message: "You have no permission to make any account the owner." },
  5: { name: "noRole", message: "There is no role existing." },
  6: { name: "noRoleAssignable", message: "You have no role to assign." },
  7: { name: "noSensor", message: "There is no sensor existing." },
  8: { name: "noSensorAssignable", message: "You have no permission to assign any sensor." },
  9: { name: "noArtifact", message: "No artifact for deployment existing." }, // spec
  10: { name: "noArtifactAssignable", message: "You have no permission to use any artifact." }, // spec
  11: { name: "serverConnectionError", message: "No connection to server." }, // spec
  12: { name: "sensorSnapshotFailed", message: "Failed to get a sensor snapshot." }, // spec
  13: { name: "requestFailed", message: "The request failed." },
} as const;

export type ServerErrorCode = keyof typeof serverErrors | keyof typeof sensorErrors;
export type ClientErrorCode = keyof typeof clientErrors;

const all: Record<number, Entry> = { ...serverErrors, ...sensorErrors };

/** True for a number the catalog knows as a server or sensor code. */
export function isServerErrorCode(code: number): code is ServerErrorCode {
  return Object.hasOwn(all, code);
}

/** True for a code that says what is wrong between the server and a sensor. */
export const isSensorErrorCode = (code: ServerErrorCode): boolean => Object.hasOwn(sensorErrors, code);

/** The entry of a server or sensor code. */
export function errorEntry(code: ServerErrorCode): Entry {
  return all[code] as Entry;
}
