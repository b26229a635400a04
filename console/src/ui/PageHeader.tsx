// The head of every page: title, primary action (top right, floating on the phone), toolbar below.
import { Box, Button, Fab, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { usePhone } from "../theme/theme.ts";
import { Disabled } from "./feedback/Disabled.tsx";

/** Where floating buttons of the phone are. */
export const floating = {
  position: "fixed",
  right: 16,
  bottom: "calc(16px + env(safe-area-inset-bottom))",
  zIndex: "fab",
  // A selection's bar takes this place.
  'body:has([data-batch-bar="floating"]) &': { display: "none" },
} as const;

export type PrimaryAction = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  disabledReason?: string | undefined;
};

type PageHeaderProps = {
  /** The h1; takes the focus after a step to another page. */
  title: string;
  /** The page's main action as data, or an element such as `SpeedDial`. */
  primary?: PrimaryAction | undefined;
  /** In place of the primary action. */
  action?: ReactNode;
  /** A BatchBar; lies over the toolbar while something is chosen. */
  selectionBar?: ReactNode;
  /** Toolbar: filters button, search, view toggles. */
  children?: ReactNode;
};

export function PageHeader({ title, primary, action, selectionBar, children }: PageHeaderProps) {
  return (
    <Stack component="header" sx={{ gap: 4, mb: 4 }}>
      <Box sx={{ display: "flex", alignItems: "flex-start", gap: 4, minHeight: 36 }}>
        <Typography variant="h1" tabIndex={-1} sx={{ minWidth: 0, mr: "auto", overflowWrap: "anywhere" }}>
          {title}
        </Typography>
        {primary === undefined ? action : <Primary {...primary} />}
      </Box>
      {children === undefined ? null : (
        <Box
          sx={{
            position: "relative",
            '& > [data-batch-bar="inline"]': { position: "absolute", inset: 0, alignContent: "center" },
            '&:has(> [data-batch-bar="inline"]) > [data-toolbar]': { visibility: "hidden" },
          }}
        >
          <Box data-toolbar="" sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2, minHeight: 40 }}>
            {children}
          </Box>
          {selectionBar}
        </Box>
      )}
    </Stack>
  );
}

function Primary({ label, icon, onClick, disabledReason }: PrimaryAction) {
  const phone = usePhone();
  return (
    <Disabled reason={disabledReason}>
      {phone ? (
        <Fab data-floating="" variant="extended" color="primary" onClick={onClick} sx={{ ...floating, gap: 2 }}>
          {icon}
          {label}
        </Fab>
      ) : (
        <Button variant="contained" startIcon={icon} onClick={onClick} sx={{ flex: "none" }}>
          {label}
        </Button>
      )}
    </Disabled>
  );
}
