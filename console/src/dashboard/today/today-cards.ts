// Sizes of the cards that compare today, for them and for the placeholder that waits for their chunk.

/** Beside each other on wide screens. */
export const todayCardStyles = (isRanked: boolean) => ({
  display: "grid",
  gap: 4,
  gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: isRanked ? "minmax(0, 2fr) minmax(320px, 1fr)" : "minmax(0, 1fr)" },
});

export const visitorsHeight = { xs: 594, sm: 450 };
export const endsHeight = 372;
