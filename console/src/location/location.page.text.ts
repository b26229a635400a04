// Texts of a location's licenses and sensors; some are fixed: docs/rules/locations.md#fixed-texts
import { formatCount } from "../ui/text/numbers.ts";
export const locationPageText = {
  on: "on",
  off: "off",

  occupancyLicense: "Occupancy license",
  buildingsLicense: "Buildings license",

  licenses: "Licenses",
  licensesHint: "Only you, the operator, can change licenses.",
  licensesBlocked: "Save or discard your changes first",
  licensesSaving: "Saving",

  assign: "Assign sensors", // fixed
  noAssign: "You have no permission to assign sensors to this location.",
  assignTitle: (name: string) => `Assign sensors to ${name}`,
  assignButton: "Assign",
  search: "Search by ID",
  chooseSensors: "Sensors",
  chooseOne: "Choose at least one sensor",
  chosen: (count: number) => `${formatCount(count, "sensor")} chosen`,
  nowAt: (name: string) => `now at ${name}`,
  nowhere: "at no location",
  noneFound: "No sensors found that you can assign.",
  more: (count: number) => `${count} more match. Type more of the ID to see them`,
  leave: "Sensors are removed from their current location.",
  searchFailed: "Search failed", // fixed
  remove: (id: string) => `Remove ${id} from this location`,
  removed: (id: string) => `Removed ${id} from this location`,
  removeFailed: "Failed to update sensor.", // fixed
  undo: "Undo",
} as const;
