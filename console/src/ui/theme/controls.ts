// Theme of buttons, fields, switches, chips and tabs.
import type {} from "@mui/material/themeCssVarsAugmentation";
import type { Components, CssVarsTheme, Theme } from "@mui/material/styles";

type Parts = Components<Omit<Theme, "components" | "palette"> & CssVarsTheme>;

const touch = "@media (pointer: coarse)";
/** Controls disabled with a reason stay focusable, so they have aria-disabled instead of disabled. */
const off = '&[aria-disabled="true"]';

/** Clip path that draws an asterisk beside the labels of required fields, without adding text to the label. */
const asterisk = `polygon(${Array.from({ length: 6 }, (_, arm) => {
  const at = (degrees: number, radius: number) => {
    const angle = (degrees * Math.PI) / 180;
    return `${(50 + radius * Math.sin(angle)).toFixed(1)}% ${(50 - radius * Math.cos(angle)).toFixed(1)}%`;
  };
  return [at(arm * 60 - 10, 50), at(arm * 60 + 10, 50), at(arm * 60 + 30, 17)].join(", ");
}).join(", ")})`;

export const controls: Parts = {
  MuiButtonBase: {
    defaultProps: { disableRipple: true },
    styleOverrides: {
      root: ({ theme }) => ({
        "&.Mui-focusVisible": { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: "2px" },
        [off]: { cursor: "not-allowed" },
      }),
    },
  },
  MuiButton: {
    defaultProps: { disableElevation: true, color: "primary" },
    styleOverrides: {
      root: ({ theme }) => ({
        minHeight: 32,
        padding: "5px 12px",
        minWidth: 0,
        whiteSpace: "nowrap",
        [touch]: { minHeight: 44, padding: "9px 16px" },
        [off]: { opacity: 0.55 },
        variants: [
          {
            props: { variant: "outlined", color: "inherit" },
            style: { borderColor: theme.vars.palette.divider, backgroundColor: theme.vars.palette.background.paper },
          },
          {
            props: { variant: "text", color: "inherit" },
            style: { color: theme.vars.palette.text.secondary, "&:hover": { color: theme.vars.palette.text.primary } },
          },
        ],
      }),
      sizeSmall: { minHeight: 28, padding: "3px 8px", fontSize: "0.875rem", [touch]: { minHeight: 44 } },
      startIcon: { marginRight: 6, marginLeft: -2, "& > *:nth-of-type(1)": { fontSize: 18 } },
    },
  },
  MuiIconButton: {
    styleOverrides: {
      root: ({ theme }) => ({
        borderRadius: 6,
        padding: 6,
        color: theme.vars.palette.text.secondary,
        "&:hover": { color: theme.vars.palette.text.primary, backgroundColor: theme.vars.palette.action.hover },
        "& .MuiSvgIcon-root": { fontSize: 18 },
        [touch]: { minWidth: 44, minHeight: 44 },
        [off]: { opacity: 0.45 },
      }),
      sizeSmall: { padding: 4, minWidth: 26, minHeight: 26 },
    },
  },
  MuiFab: {
    styleOverrides: {
      root: { boxShadow: "0 4px 16px rgb(6 20 18 / 0.24)", textTransform: "none", [off]: { opacity: 0.55 } },
    },
  },
  MuiLink: { defaultProps: { underline: "hover" } },
  MuiTextField: { defaultProps: { size: "small", fullWidth: true } },
  MuiFormControl: { defaultProps: { size: "small" } },
  // Labels of fields and of groups of fields.
  MuiFormLabel: {
    styleOverrides: {
      root: ({ theme }) => ({
        fontSize: "0.875rem",
        lineHeight: "20px",
        fontWeight: 600,
        color: theme.vars.palette.text.primary,
        "&.Mui-focused": { color: theme.vars.palette.text.primary },
        "&.Mui-error": { color: theme.vars.palette.text.primary },
        "&.Mui-disabled": { color: theme.vars.palette.text.secondary },
      }),
    },
  },
  MuiInputLabel: {
    // MUI's asterisk would become part of the label's text, and thus of the accessible name.
    defaultProps: { shrink: true, required: false },
    styleOverrides: {
      root: ({ theme }) => ({
        // Draws no asterisk for read-only fields, nor in forms that mark optional fields instead (they set aria-required).
        "&:has(+ * [required]:not([readonly]))::after": {
          content: '""',
          display: "inline-block",
          width: 7,
          height: 7,
          marginLeft: 4,
          verticalAlign: "0.3em",
          backgroundColor: theme.vars.palette.text.secondary,
          clipPath: asterisk,
          forcedColorAdjust: "none",
        },
        position: "static",
        // With MUI's z-index, labels would show through a bar that covers the field.
        zIndex: "auto",
        transform: "none",
        marginBottom: 4,
        maxWidth: "100%",
        pointerEvents: "auto",
        whiteSpace: "normal",
      }),
    },
  },
  MuiOutlinedInput: {
    defaultProps: { notched: false },
    styleOverrides: {
      root: ({ theme }) => ({
        backgroundColor: theme.vars.palette.background.paper,
        minHeight: 36,
        [touch]: { minHeight: 44, fontSize: "1rem" },
        "&:hover:not(.Mui-disabled, .Mui-error, .Mui-focused) .MuiOutlinedInput-notchedOutline": {
          borderColor: theme.vars.palette.text.disabled,
        },
        "&.MuiInputBase-adornedStart": { paddingLeft: 10 },
        "&.MuiInputBase-adornedEnd": { paddingRight: 8 },
        "&.Mui-focused .MuiOutlinedInput-notchedOutline": { borderWidth: 2 },
        // The focus is shown by the border's color, which forced colors remove.
        "@media (forced-colors: active)": { "&.Mui-focused": { outline: "2px solid Highlight" } },
        "&.Mui-disabled, &.Mui-readOnly": { backgroundColor: theme.vars.palette.action.hover },
        "&.Mui-disabled .MuiOutlinedInput-notchedOutline": { borderColor: theme.vars.palette.divider },
        "&.Mui-disabled .MuiOutlinedInput-input": { WebkitTextFillColor: theme.vars.palette.text.secondary },
      }),
      input: {
        padding: "8px 10px",
        height: 20,
        "&::placeholder": { opacity: 0.72 },
        "&.MuiInputBase-inputMultiline": { padding: 0 },
      },
      multiline: { padding: "8px 10px" },
      notchedOutline: ({ theme }) => ({
        top: 0,
        borderColor: `color-mix(in srgb, ${theme.vars.palette.text.disabled} 55%, ${theme.vars.palette.divider})`,
        "& legend": { display: "none" },
      }),
    },
  },
  MuiInputBase: { styleOverrides: { input: { "&:focus-visible": { outline: "none" } } } },
  MuiFormHelperText: { styleOverrides: { root: { margin: "4px 0 0", fontSize: "0.75rem", lineHeight: "16px" } } },
  MuiFormControlLabel: { styleOverrides: { root: { marginLeft: -4, gap: 4 } } },
  MuiCheckbox: {
    defaultProps: { size: "small" },
    styleOverrides: { root: { padding: 3, borderRadius: 6, "& .MuiSvgIcon-root": { fontSize: 18 } } },
  },
  MuiSwitch: {
    styleOverrides: {
      root: ({ theme }) => ({
        width: 36,
        height: 24,
        padding: 2,
        margin: "0 6px",
        overflow: "visible",
        "& .MuiSwitch-switchBase": {
          padding: 4,
          "&.Mui-checked": {
            transform: "translateX(12px)",
            color: "#fff",
            ...theme.applyStyles("dark", { color: theme.vars.palette.primary.contrastText }),
            "& + .MuiSwitch-track": { opacity: 1, backgroundColor: theme.vars.palette.primary.main },
          },
          "&.Mui-disabled + .MuiSwitch-track": { opacity: 0.4 },
        },
        "& .MuiSwitch-thumb": { width: 16, height: 16, boxShadow: "none", backgroundColor: "currentcolor" },
        "& .MuiSwitch-switchBase:not(.Mui-checked)": { color: "#fff" },
        "& .MuiSwitch-track": { borderRadius: 10, opacity: 1, backgroundColor: theme.vars.palette.text.disabled },
        "&:has(input:focus-visible) .MuiSwitch-track": {
          outline: `2px solid ${theme.vars.palette.primary.main}`,
          outlineOffset: "2px",
        },
        '&:has(input[aria-disabled="true"])': { opacity: 0.5 },
      }),
    },
  },
  MuiChip: {
    defaultProps: { size: "small" },
    styleOverrides: {
      root: { borderRadius: 6, height: 24, fontSize: "0.75rem" },
      deleteIcon: { fontSize: 16, marginRight: 4 },
    },
  },
  MuiTabs: {
    styleOverrides: { root: { minHeight: 40 }, indicator: { height: 2, borderRadius: 2 } },
  },
  MuiTab: {
    styleOverrides: { root: { minHeight: 40, minWidth: 0, padding: "8px 12px", [off]: { opacity: 0.5 } } },
  },
  MuiToggleButton: {
    styleOverrides: {
      root: {
        padding: "5px 8px",
        minHeight: 32,
        "& .MuiSvgIcon-root": { fontSize: 18 },
        [touch]: { minHeight: 44, minWidth: 44 },
        // The selected button differs only by its background, which forced colors remove.
        "@media (forced-colors: active)": {
          "&.Mui-selected": { backgroundColor: "Highlight", color: "HighlightText", forcedColorAdjust: "none" },
        },
      },
    },
  },
  MuiLinearProgress: { styleOverrides: { root: { borderRadius: 4, height: 6 }, bar: { borderRadius: 4 } } },
};
