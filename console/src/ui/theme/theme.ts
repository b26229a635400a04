// MUI theme with CSS variables, light and dark schemes, hairlines instead of shadows, and labels above fields.
import type {} from "@mui/material/themeCssVarsAugmentation";
import { createTheme } from "@mui/material/styles";
import { useMediaQuery } from "@mui/material";
import { darkPalette, lightPalette } from "./palette.ts";
import { controls } from "./controls.ts";
import { surfaces } from "./surfaces.ts";

const sans = '"Inter Variable", "Inter Fallback", system-ui, sans-serif';

export const monoFont = "var(--font-mono)";

const motion = {
  shortest: 120,
  shorter: 120,
  short: 150,
  standard: 180,
  complex: 200,
  enteringScreen: 180,
  leavingScreen: 120,
};

const phoneWidth = 600;

/** On phones, tables become cards and panels become sheets. */
export const useIsPhone = () => useMediaQuery(`(max-width: ${phoneWidth - 0.05}px)`, { noSsr: true });

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: "data-theme" },
  colorSchemes: { light: { palette: lightPalette }, dark: { palette: darkPalette } },
  spacing: 4,
  shape: { borderRadius: 6 },
  breakpoints: { values: { xs: 0, sm: phoneWidth, md: 900, lg: 1200, xl: 1600 } },
  transitions: { duration: motion },
  typography: {
    fontFamily: sans,
    fontSize: 14,
    fontWeightLight: 400,
    fontWeightRegular: 400,
    fontWeightMedium: 600,
    fontWeightBold: 600,
    h1: { fontSize: "1.375rem", fontWeight: 600, lineHeight: "28px", letterSpacing: "-0.012em" },
    h2: { fontSize: "1rem", fontWeight: 600, lineHeight: "24px", letterSpacing: "-0.006em" },
    h3: { fontSize: "0.875rem", fontWeight: 600, lineHeight: "20px" },
    body1: { fontSize: "0.875rem", lineHeight: "20px" },
    body2: { fontSize: "0.875rem", lineHeight: "20px" },
    caption: { fontSize: "0.75rem", lineHeight: "16px" },
    button: { fontSize: "0.875rem", fontWeight: 600, lineHeight: "20px", textTransform: "none", letterSpacing: 0 },
  },
  components: { ...surfaces, ...controls },
});
