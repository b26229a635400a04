// Every sentence around the sections of a sensor's pages; those about values stand with their descriptions in the contract.

export const sectionText = {
  readOnly: "You can view but not change this sensor.",
  noValues: "No values known yet.",
  offline: (time: string) => `The sensor is offline. Values of ${time}.`,
  back: "The sensor is back.",
  changed: "The configuration was changed meanwhile.",
  changedText:
    "Your entries are over older values. Overwrite saves what you changed into the present ones; Load new values drops it.",
  loadNew: "Load new values",
  overwrite: "Overwrite",
  cancel: "Cancel",
  retry: "Try again",
  loadFailed: "The configuration could not be read.",

  needsRestart: "Needs a restart",
  mayCut: "May cut the connection",
  takesRestart: "Takes effect after a restart.",
  restart: "Restart",
  restartSensor: "Restart sensor",
  restartQuestion: "The sensor restarts. Counting pauses about a minute.",
  restarts: "The sensor restarts",

  applyTitle: "Apply new settings",
  applyQuestion: "If the sensor does not come back within 60 s it returns to its present settings.",
  apply: "Apply",
  applying: (leftS: number) => `Applying, ${leftS} s left`,
  outcomes: {
    confirmed: "New settings confirmed.",
    rolledBack: "The sensor went back to its previous settings.",
  },

  unknownMethod: "The installed firmware does not know this setting.",

  none: "-",
  noItems: (many: string) => `No ${many} yet.`,
  removeWord: "Remove",
  remove: (name: string) => `Remove ${name}`,
  clear: (label: string) => `Clear ${label}`,
  isSet: "Set. Leave empty to keep it.",
  isKept: "Set",
  notSet: "Not set",
  isCleared: "Removed when you save",
  commas: "Divided by commas",
  zero: (meaning: string) => `0 = ${meaning}`,
  addPoint: "Add point",
  removePoint: (n: number) => `Remove point ${n}`,
  mostPoints: (max: number) => `There may be at most ${max} points.`,
  fewestPoints: (min: number) => `There must be at least ${min} points.`,

  state: "State",
  more: "More settings",
  passwordsLost: "Passwords are not kept.",
} as const;
