// Words of the dashboard (spec 2 §2).
export const dashboardText = {
  title: "Dashboard",
  sensors: "Sensors",
  total: "total",
  online: "Online and offline",
  states: { connected: "Online", notResponding: "Not responding", disconnected: "Offline" },
  byType: "By sensor type",
  byLicense: "Monitored",
  monitored: "Monitored",
  unmonitored: "Unmonitored",
  firmware: "Top 10 most used firmware", // spec
  axis: "Number of sensors", // spec
  version: "Version",
  unreported: (count: number) => `${count} ${count === 1 ? "sensor has" : "sensors have"} not reported a firmware`,
  locations: "Locations",
  byOccupancy: "Occupancy app",
  withApp: "With occupancy app",
  withoutApp: "Without occupancy app",
  loadFailed: "The numbers could not be loaded",
} as const;
