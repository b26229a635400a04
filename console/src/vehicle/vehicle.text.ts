// Texts of the vehicles page.
import type { VehicleState } from "@psp/contract/vehicle/vehicle-states.ts";

const number = new Intl.NumberFormat("en");
const seats = (free: number) => (free === 1 ? "1 seat free" : `${number.format(free)} seats free`);

const states: Record<VehicleState, string> = {
  occupied: "Occupied",
  empty: "Empty",
  unknown: "Unknown",
  outOfService: "Out of service",
};

export const vehicleText = {
  title: "Vehicles", // fixed
  loadFailed: "Vehicles can't be loaded",
  counted: (count: number) => (count === 1 ? "1 vehicle" : `${number.format(count)} vehicles`),
  noneTitle: "No vehicles yet",
  noneText:
    "Vehicles appear here once coaches have a vehicle ID. Open a ZOD sensor, and enter the ID in its section Group.",
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
  percent: (percent: number) => `${number.format(percent)} %`,
  seats,
  coaches: (vehicle: string) => `Coaches of ${vehicle}`,
  coachColumn: "Coach",
  coachNumber: (sequence: number) => `Coach ${sequence}`,
  coach: (sequence: number, state: VehicleState, load: { percent: number; seatsFree: number } | null) =>
    `Coach ${sequence}: ${
      load === null
        ? states[state].toLowerCase()
        : `${state === "empty" ? "empty" : `${number.format(load.percent)} %`}, ${seats(load.seatsFree)}`
    }`,
  marker: (vehicle: string, words: string) => `${vehicle}: ${words}`,
  vehiclesHere: (count: number) => `${count} vehicles`,
  unplaced: (count: number) =>
    count === 1 ? "1 vehicle has no known position." : `${number.format(count)} vehicles have no known position.`,
  mapLimit: (shown: number) => `The map shows the first ${number.format(shown)} vehicles.`,
  position: "Position",
  noPosition: "No position",
  ago: (span: string) => `${span} ago`,
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
