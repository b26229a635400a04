// Texts of the registration pages; some are fixed, including misspellings (docs/rules/claiming.md#fixed-texts).
import type { ClaimStatus } from "./claim.flow.ts";
import { formatCount } from "../ui/text/numbers.ts";

const sensors = (n: number) => formatCount(n, "sensor");

export const claimText = {
  title: "Register Sensor", // fixed
  intro: "Scan the QR code on the label of your sensor, or type the registration code printed below it.",
  mode: "How to register",
  scan: "Scan",
  type: "Type",
  toSensors: "Go to sensors",
  done: "Done",
  proceed: "Continue",
  another: "Register another",
  deniedTitle: "No permission",
  denied: "Your role doesn't allow you to register sensors for your account.",

  preview: "Camera picture",
  aim: "Point the camera at the QR code",
  starting: "Starting the camera…",
  looking: "Registering…",
  tryAgain: "Try again",
  typeInstead: "Type the code instead",
  invalidQr: "Invalid QR-Code", // fixed
  invalidCode: "Invalid code, sensor may already be registered", // fixed
  unable: "Unable to register sensor (may already be registered)", // fixed
  registered: (id: string) => `Registered Sensor '${id}'`,

  // "permisson" is fixed.
  cameraDenied: "You need to grant camera access permisson", // fixed
  cameraMissing: "No camera on this device", // fixed
  cameraInsecure: "Secure context required (HTTPS, localhost)", // fixed
  cameraBusy: "Is the camera already in use?", // fixed
  cameraUnfit: "Installed cameras are not suitable", // fixed
  cameraUnsupported: "Stream API is not supported in this browser", // fixed

  code: "Registration code", // fixed
  codeHint: "8 characters, printed on the label. You can also paste the link or text of the QR code.",
  typedSoFar: (n: number) => `${n} of 8 characters${n > 8 ? `, ${n - 8} too many` : ""}`,
  wrongLength: (n: number) => `A registration code has 8 characters. This one has ${n}.`,
  checkCode:
    "Compare the code with the label. Codes never contain 0, 1, I or O. If the code is right, the sensor may belong to another account.",
  checkOwner: "Its owner must enable re-registration before someone else can register it.",
  register: "Register",
  typedInvalid: "The entered code is invalid or the sensor is already registered to another account.", // fixed
  typedFailed: (id: string) => `Failed to register Sensor with ID "${id}". Maybe it is already registered.`,
  typedDone: (id: string) => `Registered sensor with ID "${id}"`,

  tooMany: (minutes: number) => `Too many wrong codes. Try again in ${formatCount(minutes, "minute")}.`,
  failed: "Registration failed",

  table: "Registered sensors",
  pages: "Pages of registered sensors",
  sensorType: "Sensor Type",
  sensorId: "Sensor ID",
  claimingCode: "Registration Code", // fixed
  status: "Status",
  claiming: (n: number) => `Registering ${sensors(n)}…`,
  statuses: {
    NONE: "Waiting",
    INVALID_CODE_LENGTH: "Invalid Registration Code", // fixed
    NOT_CLAIMABLE: "Registration not possible", // fixed
    CLAIMED: "Registered",
  } satisfies Record<ClaimStatus, string>,
  notClaimableHint: "The sensor may be owned by another account",

  whatNext: (n: number) => `${sensors(n)} registered. What next?`,
  assign: "Assign to location",
  open: (n: number) => (n === 1 ? "Open sensor" : "Open sensors"),
  assignTitle: (n: number) => `Assign ${sensors(n)} to a location`,
  assignNow: "Assign",
  location: "Location",
  locationRequired: "Choose a location.",
  createLocation: "Create location",
  assigned: (n: number, name: string) => `${sensors(n)} assigned to ${name}`,
  openLocation: "Open location",
  assignFailed: "Assignment failed",

  checkoutTitle: "Check your sensors",
  checkoutIntro: (n: number) => `${sensors(n)} registered to your account.`,
  finish: "Finish",
  successTitle: "Registration complete",
  successText: (n: number) => `${sensors(n)} now belong${n === 1 ? "s" : ""} to your account.`,
  nothingTitle: "No sensors registered yet",
  nothingText: "Scan or type the registration code of a sensor first.",
} as const;
