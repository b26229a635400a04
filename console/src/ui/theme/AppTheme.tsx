// Provides the theme with fonts, color scheme, baseline styles and row density.
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./fonts.css";
// Imported here so that lists don't wait for a stylesheet of their own.
import "./rows.module.css";
import { CssBaseline } from "@mui/material";
import { ThemeProvider, useColorScheme } from "@mui/material/styles";
import type { ReactNode } from "react";
import { type Density, DensityProvider } from "./density.tsx";
import { theme } from "./theme.ts";

type AppThemeProps = { density?: Density; onDensityChange?: (density: Density) => void; children: ReactNode };

/** The scheme is stored as `mui-mode`, which index.html reads before the first paint. */
export function AppTheme({ density, onDensityChange, children }: AppThemeProps) {
  return (
    <ThemeProvider theme={theme} defaultMode="system" disableTransitionOnChange noSsr>
      <CssBaseline />
      <DensityProvider initial={density} onChange={onDensityChange}>
        {children}
      </DensityProvider>
    </ThemeProvider>
  );
}

export type ThemeMode = "light" | "dark" | "system";

/** The selected mode, the scheme it resolves to, and the setter for the account menu. */
export function useThemeMode() {
  const { mode = "system", systemMode = "light", setMode } = useColorScheme();
  return { mode, resolved: mode === "system" ? systemMode : mode, setMode };
}
