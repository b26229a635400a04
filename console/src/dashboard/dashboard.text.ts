// Texts of the dashboard; some are fixed: docs/rules/monitoring.md#fixed-texts
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

export const dashboardText = {
  title: "Dashboard",
  printed: (account: string, time: string) => `${account}, ${time}`,
  visitors: {
    title: "Visitors today",
    until: (clock: string, behind: number) =>
      `until ${clock}, local time${behind === 0 ? "" : `; earlier at ${formatCount(behind, "location")} where it is not ${clock} yet`}`,
    tooEarly: "The first full hour is not over yet",
    compare: "Compare locations",
    in: "In",
    noData: "No data yet",
    today: "Today",
    week: "A week ago",
    year: "A year ago",
    fromWeek: "Week on week",
    fromYear: "Year on year",
    peopleOn: (people: string, day: string) => `${people} on ${day}`,
    noneOn: (day: string) => `No counts for ${day}`,
    comparable: (comparable: number, all: number) =>
      comparable === all
        ? `${all === 1 ? "1 location" : `All ${formatNumber(all)} locations`} compared`
        : `${formatNumber(comparable)} of ${formatNumber(all)} locations compared`,
    notComparable: "No location has enough data on both days",
    chart: "People in per hour, today and earlier",
    hour: "Hour",
    noLocations: "No locations yet",
    noLocationsText: "Create a location and assign sensors to it. Their visitors are shown here.",
    noSensors: "No sensors at your locations yet",
    noSensorsText: "Assign sensors to your locations. Their visitors are shown here.",
    locations: "Locations",
    failed: "The counts could not be loaded",
    tooMany: "You see more than 10,000 locations. Compare their counts with filters instead.",
    again: "Try again",
  },
  ends: {
    title: "Best and worst",
    explained: "Change in visitors today, up to the same hour",
    compareWith: "Compare with",
    sides: { week: "Week ago", year: "Year ago" },
    best: "Best",
    worst: "Worst",
    tooFew: "Fewer than two locations have enough data on both days to be compared.",
    noChange: "Fewer than two locations had visitors on the earlier day.",
    yesterday: "See the changes of yesterday",
  },
  today: "Today",
  tiles: { people: "People in since midnight", offline: "Offline", installing: "Installing", failed: "Failed" },
  trouble: {
    title: "Needs attention",
    issues: { Error: "Open errors", Warning: "Open warnings" },
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
    `Online: connected, or last contact within ${formatCount(hours, "hour")}. Not responding: connected, but does not respond. Offline: neither.`,
  online: "Online and offline",
  states: { connected: "Online", notResponding: "Not responding", disconnected: "Offline" },
  byType: "By sensor type",
  byLicense: "Monitored",
  monitored: "Monitored",
  unmonitored: "Unmonitored",
  firmware: "Top 10 most used firmware", // fixed
  axis: "Number of sensors", // fixed
  version: "Version",
  unreported: (count: number) => `${formatCount(count, "sensor has", "sensors have")} not reported a firmware`,
  locations: "Locations",
  byOccupancy: "Occupancy app",
  withApp: "With occupancy app",
  withoutApp: "Without occupancy app",
  loadFailed: "The dashboard could not be loaded",
  map: "Map",
  /** Label of a map marker with the name of the location and the worst status of its open issues. */
  withIssue: (name: string, status: "Warning" | "Error") => `${name}, ${status.toLowerCase()}`,
  locationsHere: (count: number) => formatCount(count, "location"),
  andMore: (count: number) => `and ${formatNumber(count)} more`,
  unplaced: (count: number) =>
    `${formatCount(count, "location has", "locations have")} no coordinates and ${count === 1 ? "is" : "are"} not on the map`,
  zoomIn: "Zoom in here",
  close: "Close",
} as const;
