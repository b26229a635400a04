// Texts of the vehicles page.
import type { VehicleState } from "@psp/contract/vehicle/vehicle-states.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const seats = (free: number) => formatCount(free, "seat free", "seats free");

const states: Record<VehicleState, string> = {
  occupied: "Occupied",
  empty: "Empty",
  unknown: "Unknown",
  outOfService: "Out of service",
};

export const vehicleText = {
  title: "Vehicles", // fixed
  loadFailed: "Vehicles can't be loaded",
  counted: (count: number) => formatCount(count, "vehicle"),
  noneTitle: "No vehicles yet",
  noneText:
    "Vehicles appear here once coaches have a vehicle ID. Open a ZOD sensor and enter the ID in its Group section.",
  noMatchTitle: "No vehicle matches",
  noMatchText: "Change or clear the filters.",
  showAll: "Clear filters",
  deniedTitle: "You can't see sensors",
  denied: "Your role doesn't allow you to view sensors.",
  view: "View",
  sensorsView: "Sensors",
  vehiclesView: "Vehicles",
  show: "Show",
  asList: "List",
  asMap: "Map",
  search: "Search by vehicle ID",
  vehicle: "Vehicle",
  line: "Line",
  searchLine: "Line",
  lineOf: (line: string) => `Line ${line}`,
  state: "State",
  any: "Any",
  owner: "Owner",
  sort: "Sort by",
  sorts: { vehicleId: "Vehicle", "-percent": "Fullest first", percent: "Emptiest first", line: "Line" },
  states,
  percent: (percent: number) => `${formatNumber(percent)} %`,
  seats,
  coaches: (vehicle: string) => `Coaches of ${vehicle}`,
  coachColumn: "Coach",
  coachNumber: (sequence: number) => `Coach ${sequence}`,
  coach: (sequence: number, state: VehicleState, load: { percent: number; seatsFree: number } | null) =>
    `Coach ${sequence}: ${
      load === null
        ? states[state].toLowerCase()
        : `${state === "empty" ? "empty" : `${formatNumber(load.percent)} %`}, ${seats(load.seatsFree)}`
    }`,
  marker: (vehicle: string, words: string) => `${vehicle}: ${words}`,
  vehiclesHere: (count: number) => formatCount(count, "vehicle"),
  unplaced: (count: number) => `${formatCount(count, "vehicle has", "vehicles have")} no known position.`,
  mapLimit: (shown: number) => `The map shows the first ${formatNumber(shown)} vehicles.`,
  position: "Position",
  noPosition: "No position",
  persons: "People",
  seatsFree: "Seats free",
  places: "Seats + standing",
  load: "Load",
  reported: "Last report",
  never: "Never",
  sensors: "Sensor",
  noSensor: "No sensor",
  details: (vehicle: string) => `Details of ${vehicle}`,
  day: "Day",
  curve: (vehicle: string) => `Load of ${vehicle} by quarter hour`,
  curveSeries: "Load (%)",
  curvePersons: "People",
  slot: "Time",
  curveFailed: "The load of this day can't be loaded",
};
