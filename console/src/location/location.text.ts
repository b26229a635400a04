// Texts of the location pages; some are fixed: docs/rules/locations.md#fixed-texts
import { ownedText } from "../entity/page/owned.text.ts";

export const locationText = {
  ...ownedText("location", "locations"),
  newHint: "More sensors can be assigned once the location exists",
  search: "Search by Name", // fixed
  occupancy: "Occupancy license",
  with: "With",
  without: "Without",
  today: "Today",
  compare: "Compare counts",
  analytics: (name: string) => `Open analytics of ${name}`,
  sensorsOf: (count: number, offline: number) => (offline === 0 ? String(count) : `${count} · ${offline} offline`),
  name: "Name",
  country: "Country",
  address: "Address",
  create: "Create location",
  createButton: "Create",
  noneText: "Locations can be used with sensors to collect data.", // fixed
  notFoundText: "There is no location at this address that you can view.",
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the location ${name} owned by ${owner}. Its sensors stay, unassigned, and keep their data. Are you sure?`,
  ownerRequired: "The owner is required", // fixed
  configuration: "CONFIGURATION",
  general: "General",
  counts: "Counts",
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
  addressHint: "An address, coordinates, or a link to a map",
  searchFailed: "Search failed", // fixed
  nothingFound: "Nothing found",
  typeMore: "Type an address or a city",
  pin: "Position of the location",
  pinHint: "Drag it, or move it with the arrow keys",
  setPin: "Choose an address, or click where the location is",
  noStreets: "This map shows countries, and no streets.",
  chooseZone: "Its country has several time zones",
  street: "Street and number",
  zip: "Postal code",
  city: "City",
  state: "State",
  onSiteInfo: "On-site information",
  latitude: "Latitude",
  longitude: "Longitude",
  positionHint: "The time zone follows from the coordinates, else from the country.",
  timezone: "Time zone",
  timezoneAfterSaving: "is found out when you save",
  badLatitude: "A number from -90 to 90",
  badLongitude: "A number from -180 to 180",
  bothCoordinates: "Latitude and longitude belong together",
  tags: "Tags",
  anyTag: "Any of the tags",
  tagsHint: "Press Enter after each tag",
  sensors: "Sensors",
  sensor: "Sensor",
  none: "None",
  noSensor: "You can not create a location because there is no sensor existing.", // fixed
  noSensorAssignable: "You can not create a location because you have no permission to assign any sensor.",
  newSensor: "New sensor",
  othersToo: (ids: readonly string[]) =>
    `${ids.length} more ${ids.length === 1 ? "comes" : "come"} to it: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`,
  othersFailed: "The location was created, but not all sensors came to it",
  leaves: (name: string) => `It leaves its present location ${name}`,
  noSensors: "No sensors are assigned to this location.",
  allSensors: (count: number) => `Show all ${count} sensors in the list`,
} as const;
