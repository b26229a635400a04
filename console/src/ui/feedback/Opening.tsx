// Says that a dialog is on its way: a line at the top of the window, so that nothing moves and no click seems lost.
import { LinearProgress } from "@mui/material";
import { keyframes } from "@mui/material/styles";

/** What opens at once needs no line before it. */
const delayMs = 150;
const appear = keyframes({ from: { visibility: "hidden" }, to: { visibility: "visible" } });

export function Opening() {
  return (
    <LinearProgress
      aria-label="Loading"
      sx={{
        position: "fixed",
        top: 0,
        insetInline: 0,
        height: 3,
        zIndex: "modal",
        animation: `${appear} 0s ${delayMs}ms both`,
      }}
    />
  );
}
