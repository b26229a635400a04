// Texts that explain refusals about opening hours.
export const openingReasons = {
  unknown: {
    country: { reason: "The public holidays of this country are not known." },
    region: { reason: "The country has no such region." },
  },
};
