// Texts of the dashboard; some are fixed: docs/rules/monitoring.md#fixed-texts
export const dashboardText = {
  title: "Dashboard",
  printed: (account: string, time: string) => `${account}, ${time}`,
  today: "Today",
  tiles: { people: "People in", offline: "Offline", installing: "Installing", failed: "Failed" },
  trouble: {
    title: "Needs attention",
    issues: "Sensors with open issues",
    noIssues: "No open issues",
    offline: "Offline for more than a day",
    never: "Never connected", // fixed
    notResponding: "Not responding",
    failed: "Installation failed",
    gaps: "Locations with missing counts yesterday",
    inContact: "All sensors online",
    installed: "No failed installations",
    complete: "Yesterday's counts are complete",
  },
  sensors: "Sensors",
  total: "total",
  onlineExplained: (hours: number) =>
    `Online: connected, or last contact within ${hours === 1 ? "1 hour" : `${hours} hours`}. Not responding: connected, but does not respond. Offline: neither.`,
  online: "Online and offline",
  states: { connected: "Online", notResponding: "Not responding", disconnected: "Offline" },
  byType: "By sensor type",
  byLicense: "Monitored",
  monitored: "Monitored",
  unmonitored: "Unmonitored",
  firmware: "Top 10 most used firmware", // fixed
  axis: "Number of sensors", // fixed
  version: "Version",
  unreported: (count: number) => `${count} ${count === 1 ? "sensor has" : "sensors have"} not reported a firmware`,
  locations: "Locations",
  byOccupancy: "Occupancy app",
  withApp: "With occupancy app",
  withoutApp: "Without occupancy app",
  loadFailed: "The dashboard could not be loaded",
  map: "Map",
  oneLocation: "1 location",
  /** Label of a map marker with the name of the location and the worst status of its open issues. */
  withIssue: (name: string, status: "Warning" | "Error") => `${name}, ${status.toLowerCase()}`,
  locationsHere: (count: number) => `${new Intl.NumberFormat("en").format(count)} locations`,
  andMore: (count: number) => `and ${new Intl.NumberFormat("en").format(count)} more`,
  unplaced: (count: number) =>
    count === 1
      ? "1 location has no coordinates and is not on the map"
      : `${new Intl.NumberFormat("en").format(count)} locations have no coordinates and are not on the map`,
  zoomIn: "Zoom in here",
  close: "Close",
} as const;
