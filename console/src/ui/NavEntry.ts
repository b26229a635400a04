// Link in a page's own navigation, highlighted while its target is displayed.
import { styled } from "@mui/material/styles";

export const NavEntry = styled("a")(({ theme }) => ({
  display: "inline-flex",
  alignItems: "center",
  gap: 8,
  minHeight: 32,
  padding: "0 8px",
  borderRadius: 6,
  color: theme.vars.palette.text.primary,
  textDecoration: "none",
  "&:hover": { backgroundColor: theme.vars.palette.action.hover },
  "&[aria-current]": {
    backgroundColor: theme.vars.palette.action.selected,
    color: theme.vars.palette.primary.main,
    fontWeight: 600,
  },
  "&[aria-disabled='true']": { color: theme.vars.palette.text.disabled, cursor: "default" },
  "@media (pointer: coarse)": { minHeight: 44, padding: "0 12px" },
}));
