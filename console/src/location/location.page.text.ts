// Sentences of a location's monitoring, logs, applications, licenses and sensors; those of the specification verbatim (spec 3 §2, §8).
import type { Issue } from "./page/issues.ts";

export const locationPageText = {
  on: "on",
  off: "off",
  monitoringState: "Monitoring",
  monitoringNone: "Monitoring is off for this location.",
  monitoringOwn: "This location's sensors are monitored by this configuration; a sensor may have its own.",
  services: {
    connection: "Connection",
    dataplaus: "Data plausibility",
    uptime: "Uptime",
    osd: "OSD",
    reboot: "Reboot",
    watchdog: "Watchdog",
  },
  thresholds: (warning: number, error: number) => `on, warning at ${warning}, error at ${error}`,

  logs: "Monitoring Logs", // spec
  created: "Date Created", // spec
  issueType: "Issue Type", // spec
  message: "Message", // spec
  sensor: "Sensor",
  acknowledged: "Acknowledged", // spec
  notAcknowledged: "Unacknowledged",
  status: "Status", // spec
  statuses: { Ok: "Ok", Warning: "Warning", Error: "Error" } satisfies Record<Issue["status"], string>,
  latest: (shown: number, total: number) => `The latest ${shown} of ${total} entries`,
  noEntries: "There are no entries.",

  occupancy: "Occupancy",
  occupancyText:
    "A traffic light for visitors: it says that they may enter while fewer people are inside than the maximum, and asks them to wait once it is reached.",
  occupancyState: "App",
  enabled: "enabled",
  notEnabled: "not enabled",
  occupancyLicense: "Occupancy license",
  buildingsLicense: "Buildings license",
  apsSensors: "APS sensors",
  addressGiven: "Address",
  given: "given",
  missing: "missing",
  noLicense: "This location doesn't have a PS.Buildings/PS.Occupancy license", // spec
  contactSales: "Contact our sales team to order one.",
  needsSensor: "Assign an APS sensor to this location.",
  needsAddress: "Specify the address of this location.",

  licenses: "Licenses",
  licensesHint: "Only your account, the operator's, can switch licenses.",
  licensesBlocked: "Save or discard your changes first",
  licensesSaving: "Saving",

  assign: "Assign sensors", // spec
  noAssign: "You have no permission to assign sensors to this location.",
  assignTitle: (name: string) => `Assign sensors to ${name}`,
  assignButton: "Assign",
  search: "Search by ID",
  chooseSensors: "Sensors",
  chooseOne: "Choose at least one sensor",
  chosen: (count: number) => (count === 1 ? "1 sensor chosen" : `${count} sensors chosen`),
  nowAt: (name: string) => `now at ${name}`,
  nowhere: "at no location",
  noneFound: "No sensors that you may assign were found.",
  more: (count: number) => `${count} more match. Type in more of the ID to see them`,
  leave: "Sensors that are at another location leave it.",
  searchFailed: "Search failed", // spec
  remove: (id: string) => `Remove ${id} from this location`,
  removed: (id: string) => `Removed ${id} from this location`,
  removeFailed: "Failed to update sensor.",
  undo: "Undo",
} as const;
