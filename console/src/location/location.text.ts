// Texts of the location pages; some are fixed: docs/rules/locations.md#fixed-texts
import { openingText } from "../opening/opening.text.ts";
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

export const locationText = {
  ...ownedText("location", "locations"),
  newHint: "You can assign more sensors once the location exists",
  search: "Search by Name", // fixed
  occupancy: "Occupancy license",
  with: "With",
  without: "Without",
  today: "Today",
  compare: "Compare counts", // fixed
  events: "Events",
  reports: "Reports",
  analytics: (name: string) => `Open analytics of ${name}`,
  sensorsOf: (count: number, offline: number) => (offline === 0 ? String(count) : `${count} · ${offline} offline`),
  name: "Name",
  country: "Country",
  address: "Address",
  create: "Create location",
  createButton: "Create",
  noneText: "Locations can be used with sensors to collect data.", // fixed
  notFoundText: "This location doesn't exist, or you can't view it.",
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the location ${name} owned by ${owner}. Its sensors are kept without a location, with all their data. Are you sure?`,
  ownerRequired: "The owner is required", // fixed
  configuration: "CONFIGURATION",
  general: "General",
  counts: "Counts",
  sales: "Sales",
  importSales: "Import sales",
  monitoring: "Monitoring",
  applications: "Applications",
  occupancyApps: "Occupancy based apps", // fixed
  maintenance: "MAINTENANCE",
  logs: "Monitoring Logs", // fixed
  history: "History",
  monitoringOff: "Ask our support team how you can activate this option", // fixed
  noLogs: "This location doesn't have any monitoring logs yet", // fixed
  onceCreated: "Available once the location exists",
  place: "Place",
  addressHint: "Enter an address, coordinates or a map link",
  searchFailed: "Search failed", // fixed
  nothingFound: "Nothing found",
  pin: "Location on the map",
  pinHint: "Drag the pin or move it with the arrow keys",
  setPin: "Choose an address, or click the location on the map",
  noStreets: "This map shows countries but no streets.",
  chooseZone: "This country has several time zones",
  street: "Street and number",
  zip: "Postal code",
  city: "City",
  state: "State",
  onSiteInfo: "On-site information",
  latitude: "Latitude",
  longitude: "Longitude",
  positionHint: "The time zone is derived from the coordinates, or from the country if there are none.",
  timezone: "Time zone",
  timezoneAfterSaving: "is set when you save",
  badLatitude: "Enter a number from -90 to 90",
  badLongitude: "Enter a number from -180 to 180",
  bothCoordinates: "Enter both latitude and longitude",
  tags: "Tags",
  openingHours: openingText.title,
  externalID: "External ID",
  externalIDHint:
    "The number or code of this location in your other systems, such as the store number in your sales files",
  anyTag: "Any of the tags",
  tagsHint: "Press Enter after each tag",
  tagNumber: formatNumber,
  tagCount: (count: number) => formatCount(count, "location"),
  match: "Match",
  matchAll: "All of the tags",
  matchAny: "Any of the tags",
  mostTags: (max: number) => `At most ${max} tags`,
  sensors: "Sensors",
  sensor: "Sensor",
  none: "None",
  noSensor: "You can not create a location because there is no sensor existing.", // fixed
  noSensorAssignable: "You can not create a location because you have no permission to assign any sensor.",
  newSensor: "New sensor",
  othersToo: (ids: readonly string[]) =>
    `${ids.length} more will be assigned: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`,
  othersFailed: "The location was created, but some sensors could not be assigned",
  leaves: (name: string) => `It is removed from its current location ${name}`,
  noSensors: "No sensors are assigned to this location.",
  allSensors: (count: number) => `Show all ${count} sensors in the list`,
} as const;
