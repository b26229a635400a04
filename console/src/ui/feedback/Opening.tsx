// Says that a dialog is on its way: a line at the top of the window, so that nothing moves and no click seems lost.
import { keyframes, styled } from "@mui/material/styles";

/** What opens at once needs no line before it. */
const delayMs = 150;
const appear = keyframes({ from: { visibility: "hidden" }, to: { visibility: "visible" } });
const pass = keyframes({ from: { transform: "translateX(-100%)" }, to: { transform: "translateX(250%)" } });

/** Of plain styles: every page brings it along. */
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

export const Opening = () => <Line role="progressbar" aria-label="Loading" />;
