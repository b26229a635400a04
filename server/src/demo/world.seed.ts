// Accounts, locations and rights of the demo world, with invented companies and real coordinates.
import { allObjectRights, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";

export const cities = [
  { city: "Berlin", country: "Germany", zone: "Europe/Berlin", lat: 52.52, lng: 13.405, zip: "10115" },
  { city: "Hamburg", country: "Germany", zone: "Europe/Berlin", lat: 53.551, lng: 9.993, zip: "20095" },
  { city: "München", country: "Germany", zone: "Europe/Berlin", lat: 48.137, lng: 11.575, zip: "80331" },
  { city: "Köln", country: "Germany", zone: "Europe/Berlin", lat: 50.938, lng: 6.96, zip: "50667" },
  { city: "Wien", country: "Austria", zone: "Europe/Vienna", lat: 48.208, lng: 16.373, zip: "1010" },
  { city: "Zürich", country: "Switzerland", zone: "Europe/Zurich", lat: 47.377, lng: 8.541, zip: "8001" },
  { city: "Paris", country: "France", zone: "Europe/Paris", lat: 48.857, lng: 2.352, zip: "75001" },
  { city: "Lisboa", country: "Portugal", zone: "Europe/Lisbon", lat: 38.722, lng: -9.139, zip: "1100" },
  { city: "Dublin", country: "Ireland", zone: "Europe/Dublin", lat: 53.35, lng: -6.26, zip: "D01" },
  { city: "Helsinki", country: "Finland", zone: "Europe/Helsinki", lat: 60.17, lng: 24.938, zip: "00100" },
  { city: "New York", country: "United States", zone: "America/New_York", lat: 40.713, lng: -74.006, zip: "10007" },
  {
    city: "Los Angeles",
    country: "United States",
    zone: "America/Los_Angeles",
    lat: 34.052,
    lng: -118.244,
    zip: "90012",
  },
  { city: "São Paulo", country: "Brazil", zone: "America/Sao_Paulo", lat: -23.55, lng: -46.633, zip: "01000" },
  { city: "Tokyo", country: "Japan", zone: "Asia/Tokyo", lat: 35.676, lng: 139.65, zip: "100-0001" },
  { city: "Sydney", country: "Australia", zone: "Australia/Sydney", lat: -33.868, lng: 151.209, zip: "2000" },
  { city: "Cape Town", country: "South Africa", zone: "Africa/Johannesburg", lat: -33.925, lng: 18.424, zip: "8001" },
] as const;

export const streets = [
  "Market Street",
  "Station Road",
  "Harbour Lane",
  "High Street",
  "Mill Square",
  "Garden Avenue",
  "Bridge Street",
];
export const locationNames = [
  "Main entrance",
  "North door",
  "South door",
  "Ground floor",
  "Reading room",
  "Platform 1",
  "Escalator",
  "Food hall",
];
/** The location with this number is a café that closes after midnight on Fridays. */
export const cafeNumber = 1;
export const companies = [
  "Alder Books",
  "Bluebell Markets",
  "Cedar Outfitters",
  "Dune Sports",
  "Elm Pharmacy",
  "Fjord Furniture",
  "Granite Cinemas",
  "Heather Museums",
  "Isar Rail",
  "Juniper Malls",
  "Kestrel Airports",
  "Linden Libraries",
  "Maple Grocers",
  "Nordlicht Optik",
  "Orchard Foods",
  "Pine Hardware",
  "Quarry Fitness",
  "Rowan Theatres",
  "Saffron Bakeries",
  "Tamarind Hotels",
];

export const firmwareVersions = [
  { type: "APS", name: "1.17.2" },
  { type: "APS", name: "1.18.0" },
  { type: "APS", name: "1.19.0-rc.1" },
  { type: "PS.C1", name: "3.4.0" },
  { type: "PS.C1", name: "3.5.1" },
  { type: "ZOD", name: "0.9.8" },
] as const;

const mine: Scope = { me: true };
const below: Scope = { me: true, myChildren: true };
const above: Scope = { me: true, myChildren: true, relativeAncestorLevel: 1 };

/** Grants the rights to view objects and to use firmware within `view`, and all other rights within `scope`. */
function rights(scope: Scope, view: Scope, more: Permissions["other"] = {}): Permissions {
  const ownable = allObjectRights(scope, view);
  return {
    other: { canAssignRoles: scope, canAssignSensors: scope, canUseArtifact: view, ...more },
    ownable: {
      artifact: ownable,
      measurement: ownable,
      // The dealer owns the roles that the account has and can assign. The account may view but not change them.
      role: { ...ownable, canViewObject: { ...view, relativeAncestorLevel: 1 } },
      file: ownable,
      sensor: ownable,
    },
    owner: { canCreateOwner: true, canViewOwner: view, canEditOwner: scope, canDeleteOwner: scope },
  };
}

const look = { canViewObject: above };

export const demoRoles = {
  dealer: { name: "Dealer", permissions: rights(below, below) },
  customer: { name: "Customer administrator", permissions: rights(below, below) },
  branch: {
    name: "Branch manager",
    permissions: { ...rights(mine, mine), owner: { canCreateOwner: false, canViewOwner: mine } },
  },
  viewer: {
    name: "Viewer",
    permissions: {
      ownable: { artifact: look, measurement: look, role: {}, file: look, sensor: look },
      owner: { canViewOwner: above },
    },
  },
} satisfies Record<string, { name: string; permissions: Permissions }>;
export type DemoRole = keyof typeof demoRoles;
