// Styles of chart elements, shared by charts and legends.
export const barStyle = { backgroundColor: "primary.main", borderRadius: "2px", forcedColorAdjust: "none" } as const;
/** Striped, because color must not be the only difference. */
export const highlightStyle = {
  borderRadius: "2px",
  forcedColorAdjust: "none",
  backgroundColor: "error.main",
  backgroundImage: "repeating-linear-gradient(45deg, rgb(255 255 255 / 0.45) 0 2px, transparent 2px 6px)",
} as const;
export const bandStyle = {
  border: "1px dashed",
  borderColor: "text.secondary",
  backgroundColor: "action.selected",
  borderRadius: "2px",
} as const;
export const lineStyle = { borderTop: "2px dashed", borderColor: "text.primary" } as const;
