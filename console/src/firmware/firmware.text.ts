// Words of the firmware list; those of the specification verbatim (spec 3 §2).
export const firmwareText = {
  title: "Firmware",
  search: "Search by Version",
  type: "Sensor Type",
  version: "Version",
  owner: "Owner",
  md5: "MD5-Checksum",
  any: "Any",
  noneTitle: "No firmware existing",
  noneText: "A firmware represents a sensor application package.",
  noMatchTitle: "No firmware found",
  noMatchText: "No firmware found for the given filter criteria.",
  showAll: "Show all firmware",
  loadFailed: "The firmware could not be loaded",
  deniedTitle: "No permission",
  denied: "Your role doesn't allow you to view firmware.",
} as const;
