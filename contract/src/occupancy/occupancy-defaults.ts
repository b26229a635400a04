// Limits and defaults of the occupancy app (docs/rules/occupancy.md#defaults).

export const occupancyLimits = {
  title: 20,
  subtitle: 70,
  freeSpacesText: 40,
  restrictionTitle: 20,
  restrictionName: 20,
  restrictionMessage: 40,
  logo: 2000,
  maxObjects: 1_000_000,
  resetMinuteStep: 5,
  restrictions: 20,
  sensors: 500,
} as const;

/** Types on the wire. The second is a legacy name, which the server replaces with the first. */
export const occupancyAppTypes = ["ps-occupancy-app", "occupancy_meas"] as const;
export const occupancyAppVersion = "v1.1.0";

export const displayOffCloseCode = 4410;

/** Messages of the form. They are fixed texts (docs/rules/occupancy.md#fixed-texts). */
export const occupancyMessages = {
  maxRequired: "Max number of people is required",
  maxInteger: "Max number should be a positive integer number",
} as const;

// cspell:ignore wish
export const occupancyDefaults = {
  maxObjects: 10,
  resetTime: { interval: "daily" as const, timeOfDay: { hour: 0, minute: 0, second: 0 } },
  frontend: {
    opened: { title: "You may enter!", subtitle: "We wish you a pleasant stay.", color: "#49bbb4" },
    closed: {
      title: "Please wait here!",
      subtitle: "The maximum number of customers has been reached, please be patient.",
      color: "#e50051",
    },
    logo: "",
    freeSpacesText: "Free spaces",
    showNumberOfPeople: false,
    restrictionTitle: "Behavior Rules",
    restrictions: [
      { name: "Distance", active: true, message: "Maintain a distance of at least 1.5 m" },
      { name: "Mask", active: true, message: "Always wear a mask" },
      { name: "Sneeze", active: true, message: "Sneeze in your arm / handkerchief" },
      { name: "No Touch", active: true, message: "Don't touch anything" },
    ],
  },
};
