// All colors of the console in both schemes: the product's teal (#49bbb4) and magenta (#e50051), otherwise neutral. Teal is too
// light for text on white, so text and filled buttons use `palette.primary.main`.
import type { PaletteOptions } from "@mui/material/styles";

export const lightPalette: PaletteOptions = {
  mode: "light",
  primary: { main: "#0b7a74", light: "#49bbb4", dark: "#085f5a", contrastText: "#ffffff" },
  secondary: { main: "#42504f", light: "#6b7a78", dark: "#263130", contrastText: "#ffffff" },
  error: { main: "#d0004a", light: "#e50051", dark: "#a3003a", contrastText: "#ffffff" },
  warning: { main: "#945700", light: "#d98a00", dark: "#6f4100", contrastText: "#ffffff" },
  success: { main: "#0b7a74", light: "#49bbb4", dark: "#085f5a", contrastText: "#ffffff" },
  info: { main: "#3a6284", light: "#6d94b5", dark: "#284760", contrastText: "#ffffff" },
  text: { primary: "#17211f", secondary: "#57645f", disabled: "#8b9793" },
  divider: "#e3e8e6",
  background: { default: "#fafbfb", paper: "#ffffff" },
  action: {
    hover: "#f2f5f4",
    selected: "#e9f4f3",
    active: "#57645f",
    disabled: "#9aa5a1",
    disabledBackground: "#eef1f0",
  },
};

export const darkPalette: PaletteOptions = {
  mode: "dark",
  primary: { main: "#49bbb4", light: "#7fd3cd", dark: "#2f9a93", contrastText: "#04211f" },
  secondary: { main: "#a9b8b5", light: "#cad5d3", dark: "#7c8b88", contrastText: "#101716" },
  error: { main: "#ff6f9c", light: "#ff9abb", dark: "#e50051", contrastText: "#2b0010" },
  warning: { main: "#f0b44c", light: "#f7cf8a", dark: "#c08317", contrastText: "#2a1b00" },
  success: { main: "#49bbb4", light: "#7fd3cd", dark: "#2f9a93", contrastText: "#04211f" },
  info: { main: "#8fb6d8", light: "#b6d0e6", dark: "#5f8bb1", contrastText: "#07131e" },
  text: { primary: "#e8eeec", secondary: "#9dacaa", disabled: "#6b7977" },
  divider: "#263030",
  background: { default: "#0d1212", paper: "#131a1a" },
  action: {
    hover: "#1a2323",
    selected: "#17302e",
    active: "#9dacaa",
    disabled: "#5e6b69",
    disabledBackground: "#1e2727",
  },
};
