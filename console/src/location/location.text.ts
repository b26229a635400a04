// Every sentence of the location pages; those of the specification verbatim (spec 3 §2, §8).
import { ownedText } from "../entity/page/owned.text.ts";

export const locationText = {
  ...ownedText("location", "locations"),
  newHint: "More sensors can be assigned once the location exists",
  search: "Search by Name", // spec
  name: "Name",
  country: "Country",
  address: "Address",
  create: "Create location",
  createButton: "Create",
  noneText: "Locations can be used with sensors to collect data.", // spec
  notFoundText: "There is no location at this address that you can view.",
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the location ${name} owned by ${owner}. Its sensors stay, unassigned, and keep their data. Are you sure?`,
  ownerRequired: "The owner is required", // spec
  configuration: "CONFIGURATION",
  general: "General",
  street: "Street and number",
  zip: "Postal code",
  city: "City",
  state: "State",
  onSiteInfo: "On-site information",
  latitude: "Latitude",
  longitude: "Longitude",
  positionHint: "The time zone follows from the coordinates.",
  timezone: "Time zone",
  timezoneAfterSaving: "is found out when you save",
  badLatitude: "A number from -90 to 90",
  badLongitude: "A number from -180 to 180",
  bothCoordinates: "Latitude and longitude belong together",
  tags: "Tags",
  tagsHint: "Press Enter after each tag",
  sensors: "Sensors",
  sensor: "Sensor",
  none: "None",
  noSensor: "You can not create a location because there is no sensor existing.", // spec
  noSensorAssignable: "You can not create a location because you have no permission to assign any sensor.",
  newSensor: "New sensor",
  leaves: (name: string) => `It leaves its present location ${name}`,
  noSensors: "No sensors are assigned to this location.",
  allSensors: (count: number) => `Show all ${count} sensors in the list`,
} as const;
