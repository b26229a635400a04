// Texts of the sensor pages; some are fixed (docs/rules/sensors.md#fixed-texts).
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount } from "../ui/text/numbers.ts";

export const sensorText = {
  ...ownedText("sensor", "sensors"),
  register: "Register Sensor", // fixed
  createNoAccount: "You can not create a sensor because no account exists.",
  createForEmpty: "You can not create a sensor because there is no account you can create it for.",
  idLabel: "Sensor ID",
  idHint: "12 digits and letters A to F, as printed on the label",
  idInvalid: "Enter 12 digits and letters A to F",
  typeLabel: "Type",
  created: (id: string) => `Created sensor ${id}`,
  openIt: "Open",
  registerInstead: "Register with a code instead",
  noRegister: "Your role doesn't allow you to register sensors for your account",
  search: "Search by ID",
  type: "Sensor Type",
  connection: "Connection",
  firmware: "Firmware",
  firmwareVersion: "Reported firmware version",
  location: "Location",
  reRegistration: "Re-registration",
  reRegistrationFilterHint: "Sensors with re-registration enabled can be registered by other users",
  groups: "Groups",
  clearFilters: "Clear filters",
  none: "None",
  enabled: "Enabled",
  disabled: "Disabled",
  states: { connected: "Connected", notResponding: "Not responding", disconnected: "Disconnected" },
  connectedAgo: (span: string) => `Connected · ${span} ago`,
  offlineFor: (span: string) => `Offline ${span}`,
  neverConnected: "Never connected", // fixed
  contactFilter: "Last contact",
  contacts: { "24h": "Longer than 24 h", "7d": "Longer than 7 d", never: "Never connected" },
  issues: "Open issues",
  openIssues: (errors: number, warnings: number) =>
    [
      ...(errors > 0 ? [formatCount(errors, "error")] : []),
      ...(warnings > 0 ? [formatCount(warnings, "warning")] : []),
    ].join(", "),
  acknowledged: "Acknowledged",
  yes: "Yes",
  no: "No",
  assignedFirmware: "Assigned firmware",
  presets: "Problems",
  offlineLong: "Offline > 24 h",
  installation: "Installation",
  canceling: "Canceling",
  percent: (percent: number) => `${percent} %`,
  installations: {
    waiting: "Waiting",
    paused: "Paused",
    installing: "Installing",
    done: "Done",
    failed: "Failed",
    canceled: "Canceled",
    reverted: "Reverted",
  },
  license: "Monitoring license",
  outdatedFilter: "Firmware age",
  outdated: "Outdated",
  notOutdated: "Not outdated",
  withLicense: "With",
  withoutLicense: "Without",
  connectedSince: "Connected since", // fixed
  lastContact: "Last contact was", // fixed
  lastSeen: "Last seen",
  notResponding: "Connected but not responding", // fixed
  noneText: "Sensors can be used with locations to collect data.", // fixed
  notFoundText: "This sensor doesn't exist, or you can't view it.",
  deleteQuestion: (id: string, owner: string) =>
    `You are about to delete the sensor with id= ${id} owned by ${owner}. Are you sure?`,
  deletedFirmware: "This firmware is either deleted or you don't have access to it", // fixed
  noLocations: "You can't view any locations.", // fixed
  noAssign: "You can't assign sensors to any location.",
  noOtherLocation: "You can't edit the location so you cannot assign the sensor to any other location.", // fixed
  installing: "Firmware is currently being installed on the sensor.", // fixed
  handOverHint:
    "The sensor is removed from its location unless the new owner owns it. It gets a new registration code and permanently loses its REST credentials and monitoring settings.",
  ownerRequired: "The owner is required.", // fixed
  groupsHint: "Press Enter after each group",
  code: "Registration code", // fixed
  copyCode: (id: string) => `Copy registration code of ${id}`,
  noCode: "There is no registration code yet",
  mayReRegister: "If enabled, the sensor can be re-registered by other users",
  noEdit: "You don't have permission to edit this sensor",
  assignment: "Assignment",
  registration: "Registration",
} as const;
