// Texts of a sensor's settings pages. Texts about values are in the contract, in the descriptions of the sections.

export const sectionText = {
  readOnly: "You can view but not change this sensor.", // fixed
  noValues: "No values known yet.", // fixed
  offline: (time: string) => `The sensor is offline. Values of ${time}.`,
  back: "The sensor is back.", // fixed
  changed: "The configuration was changed meanwhile.", // fixed
  changedText:
    "Your changes are based on older values. Choose 'Overwrite' to apply them to the current values, or 'Load new values' to discard them.",
  loadNew: "Load new values", // fixed
  overwrite: "Overwrite",
  cancel: "Cancel",
  retry: "Try again",
  loadFailed: "The configuration could not be loaded.",

  needsRestart: "Needs a restart",
  mayCut: "May interrupt the connection",
  takesRestart: "Takes effect after a restart.", // fixed
  restart: "Restart",
  restartSensor: "Restart sensor", // fixed
  restartQuestion: "The sensor restarts. Counting pauses about a minute.", // fixed
  restarts: "The sensor is restarting",

  applyTitle: "Apply new settings",
  applyQuestion: "If the sensor does not come back within 60 s it returns to its present settings.", // fixed
  apply: "Apply",
  applying: (leftS: number) => `Applying, ${leftS} s left`,
  outcomes: {
    confirmed: "New settings confirmed.", // fixed
    rolledBack: "The sensor went back to its previous settings.", // fixed
  },

  unknownMethod: "The installed firmware does not know this setting.", // fixed

  none: "-",
  noItems: (many: string) => `No ${many} yet.`,
  removeWord: "Remove",
  remove: (name: string) => `Remove ${name}`,
  clear: (label: string) => `Clear ${label}`,
  isSet: "Set. Leave empty to keep it.",
  isKept: "Set",
  notSet: "Not set",
  isCleared: "Will be removed when you save",
  commas: "Separate with commas",
  zero: (meaning: string) => `0 = ${meaning}`,
  addPoint: "Add point",
  removePoint: (n: number) => `Remove point ${n}`,
  mostPoints: (max: number) => `You can add at most ${max} points.`,
  fewestPoints: (min: number) => `At least ${min} points are required.`,

  state: "State",
  more: "More settings",
  passwordsLost: "Passwords are not kept.",
} as const;
