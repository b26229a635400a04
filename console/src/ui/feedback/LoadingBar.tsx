// Progress bar at the top of the window while a dialog loads. It confirms the click without a layout shift.
import { keyframes, styled } from "@mui/material/styles";

/** Fast dialogs open without showing the line. */
const delayMs = 150;
const appear = keyframes({ from: { visibility: "hidden" }, to: { visibility: "visible" } });
const pass = keyframes({ from: { transform: "translateX(-100%)" }, to: { transform: "translateX(250%)" } });

/** Kept small, because every page loads this component. */
const Line = styled("div")(({ theme }) => ({
  position: "fixed",
  top: 0,
  insetInline: 0,
  height: 3,
  overflow: "hidden",
  zIndex: theme.zIndex.modal,
  backgroundColor: theme.vars.palette.action.selected,
  animation: `${appear} 0s ${delayMs}ms both`,
  "&::after": {
    content: '""',
    display: "block",
    width: "40%",
    height: "100%",
    backgroundColor: theme.vars.palette.primary.main,
    animation: `${pass} 1.4s linear infinite`,
  },
}));

export const LoadingBar = () => <Line role="progressbar" aria-label="Loading" />;
