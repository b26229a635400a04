// How the parts of the drawings look: the same in a drawing and in its legend.
export const bar = { backgroundColor: "primary.main", borderRadius: "2px", forcedColorAdjust: "none" } as const;
/** A bar that is not as it should be: striped, too, so that color is not all that tells it. */
export const loud = {
  borderRadius: "2px",
  forcedColorAdjust: "none",
  backgroundColor: "error.main",
  backgroundImage: "repeating-linear-gradient(45deg, rgb(255 255 255 / 0.45) 0 2px, transparent 2px 6px)",
} as const;
export const band = {
  border: "1px dashed",
  borderColor: "text.secondary",
  backgroundColor: "action.selected",
  borderRadius: "2px",
} as const;
export const line = { borderTop: "2px dashed", borderColor: "text.primary" } as const;
