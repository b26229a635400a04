// Texts that explain refusals about opening hours.
export const openingReasons = {
  unknown: {
    country: { reason: "There is no public holiday calendar for this country." },
    region: { reason: "The country has no such region." },
  },
};
