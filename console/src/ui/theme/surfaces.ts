// Theme of the page, cards, dialogs, menus, tables and tooltips, and print styles.
import type {} from "@mui/material/themeCssVarsAugmentation";
import type { Components, CssVarsTheme, Theme } from "@mui/material/styles";

type Parts = Components<Omit<Theme, "components" | "palette"> & CssVarsTheme>;

const reducedMotion = "@media (prefers-reduced-motion: reduce)";

const raised = ({ vars }: CssVarsTheme, boxShadow = "0 8px 24px rgb(6 20 18 / 0.12)") => ({
  border: `1px solid ${vars.palette.divider}`,
  boxShadow,
});

/** Variables of the light scheme, whatever scheme is selected. */
function lightVariables({ generateStyleSheets }: { generateStyleSheets?: () => Record<string, object>[] }): object {
  const sheets = generateStyleSheets?.() ?? [];
  return sheets.flatMap((sheet) => Object.entries(sheet)).find(([selector]) => selector.includes('"light"'))?.[1] ?? {};
}

export const surfaces: Parts = {
  MuiCssBaseline: {
    styleOverrides: (theme) => ({
      html: { backgroundColor: theme.vars.palette.background.default },
      body: { fontFeatureSettings: '"cv11", "ss03"', overflowWrap: "break-word" },
      "#root": { minHeight: "100dvh", display: "flex", flexDirection: "column" },
      "h1:focus, main:focus": { outline: "none" },
      ":focus-visible": { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: "2px" },
      "::selection": {
        backgroundColor: theme.vars.palette.primary.main,
        color: theme.vars.palette.primary.contrastText,
      },
      // Keeps the list's last row clear of the floating button on phones.
      "main:has([data-floating])": { "@media (max-width: 599.95px)": { paddingBottom: "88px !important" } },
      // Print uses the light colors on white, without controls.
      "@media print": {
        // Overrides the scheme's rule by specificity.
        'html[data-theme="dark"]': lightVariables(theme),
        "html, body": { backgroundColor: "#fff !important" },
        // Bars, swatches and shaded cells are backgrounds, which browsers don't print by default.
        html: { printColorAdjust: "exact" },
        "footer, nav, aside, [role=toolbar], [data-floating], [data-screen-only]": { display: "none !important" },
        // Table headers are printed, because their sort buttons are the column titles.
        "main :is(button, .MuiButton-root, .MuiToggleButtonGroup-root):not(table *, .MuiAccordionSummary-root, [data-on-paper])":
          {
            display: "none !important",
          },
        // A drawn canvas keeps the colors of the dark scheme, so it is inverted.
        'html[data-theme="dark"] main canvas': { filter: "invert(1) hue-rotate(180deg)" },
        "main :is(section, figure, tr)": { breakInside: "avoid" },
        "main :is(h1, h2, h3)": { breakAfter: "avoid" },
        main: { maxWidth: "none !important", padding: "0 !important" },
      },
      [reducedMotion]: {
        "*, *::before, *::after": {
          animationDuration: "0.01ms !important",
          animationIterationCount: "1 !important",
          transitionDuration: "0.01ms !important",
          scrollBehavior: "auto !important",
        },
      },
    }),
  },
  MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: "none" } } },
  MuiCard: { defaultProps: { variant: "outlined" }, styleOverrides: { root: { borderRadius: 8 } } },
  MuiCardContent: { styleOverrides: { root: { padding: 16, "&:last-child": { paddingBottom: 16 } } } },
  MuiDialog: {
    styleOverrides: {
      paper: ({ theme }) => ({ borderRadius: 10, ...raised(theme, "0 16px 48px rgb(6 20 18 / 0.18)") }),
    },
  },
  MuiDialogTitle: {
    styleOverrides: { root: { padding: "20px 24px 8px", fontSize: "1rem", fontWeight: 600, lineHeight: "24px" } },
  },
  MuiDialogContent: { styleOverrides: { root: { padding: "8px 24px 20px" } } },
  MuiDialogActions: {
    styleOverrides: {
      root: ({ theme }) => ({
        padding: "12px 24px",
        gap: 8,
        flexWrap: "wrap",
        borderTop: `1px solid ${theme.vars.palette.divider}`,
        "& > :not(style) ~ :not(style)": { marginLeft: 0 },
      }),
    },
  },
  MuiBackdrop: {
    styleOverrides: { root: { "&:not(.MuiBackdrop-invisible)": { backgroundColor: "rgb(6 16 15 / 0.42)" } } },
  },
  // While a select or menu fades out, clicks must reach the page below, not an invisible option.
  MuiPopover: { styleOverrides: { root: ({ ownerState }) => (ownerState.open ? {} : { pointerEvents: "none" }) } },
  MuiMenu: {
    styleOverrides: {
      paper: ({ theme }) => ({ marginTop: 4, minWidth: 184, ...raised(theme) }),
      list: { padding: 4 },
    },
  },
  MuiMenuItem: {
    styleOverrides: {
      root: { borderRadius: 4, minHeight: 32, padding: "6px 8px", "@media (pointer: coarse)": { minHeight: 44 } },
    },
  },
  MuiListItemIcon: { styleOverrides: { root: { minWidth: 28, color: "inherit" } } },
  MuiAutocomplete: {
    styleOverrides: {
      inputRoot: {
        "&.MuiOutlinedInput-root.MuiInputBase-sizeSmall": {
          padding: "4px 8px",
          "& .MuiAutocomplete-input": { padding: "4px 2px" },
        },
      },
      tag: { margin: 2 },
      popupIndicator: { minWidth: 24, minHeight: 24 },
      clearIndicator: { minWidth: 24, minHeight: 24 },
      paper: ({ theme }) => ({ marginTop: 4, ...raised(theme) }),
    },
  },
  MuiDrawer: {
    styleOverrides: { paper: ({ theme }) => ({ borderColor: theme.vars.palette.divider, boxShadow: "none" }) },
  },
  MuiTooltip: {
    defaultProps: { enterDelay: 400, enterNextDelay: 200 },
    styleOverrides: {
      tooltip: ({ theme }) => ({
        backgroundColor: "#1d2827",
        color: "#f3f7f6",
        fontSize: "0.75rem",
        lineHeight: "16px",
        fontWeight: 400,
        padding: "6px 8px",
        borderRadius: 5,
        maxWidth: 320,
        ...theme.applyStyles("dark", { backgroundColor: "#2c3938" }),
      }),
    },
  },
  MuiTableCell: {
    styleOverrides: {
      root: ({ theme }) => ({
        borderBottom: `1px solid ${theme.vars.palette.divider}`,
        fontVariantNumeric: "tabular-nums",
        padding: "0 12px",
      }),
      head: ({ theme }) => ({
        color: theme.vars.palette.text.secondary,
        fontSize: "0.75rem",
        fontWeight: 600,
        lineHeight: "16px",
      }),
    },
  },
  MuiAccordion: {
    defaultProps: { disableGutters: true, variant: "outlined" },
    styleOverrides: {
      root: {
        borderRadius: 8,
        "&::before": { display: "none" },
        "&:first-of-type, &:last-of-type": { borderRadius: 8 },
      },
    },
  },
  MuiAccordionSummary: { styleOverrides: { root: { minHeight: 44, padding: "0 16px" }, content: { margin: "8px 0" } } },
  MuiAccordionDetails: { styleOverrides: { root: { padding: "4px 16px 16px" } } },
  MuiAlert: {
    styleOverrides: {
      root: { borderRadius: 6, padding: "8px 12px", alignItems: "flex-start" },
      icon: { padding: "1px 0", marginRight: 10, fontSize: 18 },
      message: { padding: 0, minWidth: 0, flex: 1 },
      action: { padding: 0, marginRight: -4, alignItems: "flex-start" },
    },
  },
  MuiAlertTitle: {
    styleOverrides: { root: { margin: "0 0 2px", fontSize: "0.875rem", lineHeight: "20px", fontWeight: 600 } },
  },
  MuiSkeleton: { defaultProps: { animation: "wave" } },
};
