// Words of histories: what was done, which field it was done to, and what is said where nothing is recorded.
const count = (n: number, one: string, many: string) => (n === 1 ? `1 ${one}` : `${n.toLocaleString("en")} ${many}`);

export const historyText = {
  title: "History",
  created: "Created",
  changed: "Changed",
  handedOver: "Handed over",
  refused: (sentence: string) => `Refused: ${sentence}`,
  /** By what the trail calls it; the words of everything else are made from its name. */
  actions: {
    create: "Created",
    update: "Changed",
    delete: "Deleted",
    claim: "Registered",
    release: "Handed over",
    enrol: "Enrolled",
    grantLicenses: "Licenses changed",
    assignFirmware: "Installation started",
    withdrawFirmware: "Installation withdrawn",
    pauseFirmware: "Installation paused",
    resumeFirmware: "Installation resumed",
    renewCredential: "Device password renewed",
    getSnapshot: "Snapshot taken",
    askRemoteAccess: "Asked to open its configuration page",
    answerRemoteAccess: "Consent to open its configuration page",
    remoteAccess: "Configuration page opened",
    extendRemoteAccess: "Session on its configuration page extended",
    endRemoteAccess: "Configuration page closed",
    "remote-consent": "Consent to remote access switched",
    generalUploadTest: "Upload tested",
    resetNetworkConfig: "Network configuration reset",
    readToken: "Token shown",
    login: "Logged in",
    endSession: "Session ended",
    "forgot-password": "New password requested",
    "reset-password": "Password reset",
    "sign-up": "Signed up once more",
    "invitation-expired": "Invitation expired",
    decline: "Registration ended by its recipient",
    "weekly-report": "Weekly report switched",
    acknowledge: "Issue acknowledged",
    correctOccupancy: "Number of people corrected",
    openDisplay: "Display opened by its link",
    revokeDisplays: "Links of displays revoked",
    export: "Data exported",
    import: "Accounts imported",
    purge: "Personal data removed",
  } as Record<string, string>,
  installation: {
    SUCCESS: "Installation finished",
    FAILED: "Installation failed",
    CANCELED: "Installation canceled",
  } as Record<string, string>,
  installationEnded: "Installation ended",
  strangeDevice: "A device that did not prove to be this sensor asked for its password.",
  signedUp: "By signing up",
  firstContact: "By its first contact",
  toOther: "It went to another account.",
  reason: "Reason",
  tried: (what: string) => `Tried: ${what}`,
  byProduct: "PS.Platform",
  byOther: "Another account",
  notLoggedIn: "Somebody who was not logged in",
  none: "none",
  on: "on",
  off: "off",
  newSecret: "changed",
  noValues: "No value that is recorded was changed.",
  hidden: {
    account: "an account that you can't view",
    role: "a role that you can't view",
    measurement: "a location that you can't view",
    artifact: "a firmware that you can't view",
  },
  kind: "Show",
  kinds: [
    ["", "Everything"],
    ["change", "Changes"],
    ["refusal", "Refused tries"],
    ["use", "Logins and other uses"],
  ] as const,
  who: "By",
  anyone: "Anyone",
  from: "From",
  to: "To",
  loadFailed: "The history could not be loaded",
  empty: "No entries",
  emptyText: "Nothing that you may view is recorded.",
  noMatch: "No entries found",
  noMatchText: "Nothing is recorded for the given filter criteria.",
  showAll: "Show everything",
  formerOwner: "Earlier entries stay with the former owner.",
  more: (n: number) => `Show ${count(n, "more value", "more values")}`,
  pages: "Pages of the history",
  range: (from: number, to: number, total: string) => `${from}–${to} of ${total}`,
  download: "Download as CSV",
  newer: "Newer",
  older: "Older",
} as const;

/** What values of some fields mean. */
export const valueWords: Record<string, Record<string, string>> = {
  mode: { edit: "Can change settings", view: "Read-only" },
  consent: { true: "Given", false: "Refused" },
  why: {
    ended: "End now",
    time: "Its time",
    replaced: "Opening the page once more",
    refused: "A refused consent",
    logout: "Logout",
    rights: "A lost right",
  },
};

/** What fields are called, by type and the path in what is recorded. */
export const fieldWords: Record<string, Record<string, string>> = {
  sensor: {
    type: "Type",
    measID: "Location",
    artifact: "Firmware",
    installation: "Installation",
    groups: "Groups",
    claimable: "Re-registration",
    monitoring: "Monitoring license",
    monitoringConfig: "Own monitoring",
    restUsername: "REST username",
    newRestPassword: "REST password",
    initToken: "Init token",
    version: "Version",
    account: "Session of",
    mode: "Access",
    reason: "Reason",
    minutes: "Length in minutes",
    consent: "Consent",
    until: "Until",
    why: "Ended by",
    startedAt: "Opened",
    writes: "Written to",
    moreWrites: "Further places",
  },
  account: {
    role: "Role",
    parent: "Parent account",
    "address.phone": "Phone",
    "address.street": "Street",
    "address.streetNumber": "Street number",
    "address.zip": "Postal code",
    "address.city": "City",
    "address.country": "Country",
    "address.supplier": "Supplier",
    enabled: "Weekly report",
    remoteConsent: "Consent to remote access",
  },
  measurement: {
    "location.coordinates": "Coordinates",
    "location.timezone": "Time zone",
    "location.address": "Address",
    tags: "Tags",
    applications: "Occupancy app",
    "applications.maxObjects": "Maximum number of people",
    "applications.sensors": "Sensors that count",
    count: "People inside",
    revoked: "Displays",
    monitoringConfig: "Monitoring",
    "licenses.buildings": "Buildings license",
    "licenses.occupancyMeasurement": "Occupancy license",
  },
  role: {},
  artifact: { name: "Version", type: "Type", "objPerm.childrenCanViewObject": "Visible to accounts below" },
  "init-token": { artifact: "Firmware" },
};

export const sharedWords: Record<string, string> = { name: "Name", owner: "Owner", reason: "Reason" };

export const loginText = {
  login: "Login",
  password: (email: string) => `Password of ${email}`,
  registration: (email: string) => `Registration of ${email}`,
  forgotten: "a login whose address was removed",
  steps: {
    "-2": "rejected",
    "-1": "waiting for review",
    0: "invitation sent",
    1: "email not yet confirmed",
    2: "complete",
  } as Record<string, string>,
};

/** Whom a right reaches; roles follow by their names. */
export const reachText = {
  createAccounts: "Owner › Create accounts",
  notAllowed: "not allowed",
  me: "own account",
  children: "all below",
  both: "own account and all below",
  ancestors: (n: number) => (n === 1 ? "1 above" : `${n} above`),
  role: "accounts with the role ",
  and: " and ",
} as const;

/** "Update sensor" of `updateSensor`. */
export function asWords(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[-_]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
