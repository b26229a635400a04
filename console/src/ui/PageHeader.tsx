// Header of every page: title and primary action (top right; a floating button on phones).
import { Box, Button, Fab, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { useIsPhone } from "./theme/theme.ts";
import { Disabled } from "./feedback/Disabled.tsx";

/** Position of floating buttons on phones. */
export const floatingPosition = {
  position: "fixed",
  right: 16,
  bottom: "calc(16px + env(safe-area-inset-bottom))",
  zIndex: "fab",
  // While rows are selected, the batch toolbar is at this position.
  'body:has([data-batch-bar="floating"]) &': { display: "none" },
} as const;

export type PrimaryAction = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  disabledReason?: string | undefined;
};

type PageHeaderProps = {
  /** The h1; focused after navigation. */
  title: string;
  primary?: PrimaryAction | undefined;
  /** An element such as `SpeedDial`, instead of `primary`. */
  action?: ReactNode;
};

export function PageHeader({ title, primary, action }: PageHeaderProps) {
  return (
    <Stack component="header" sx={{ mb: 4 }}>
      <Box sx={{ display: "flex", alignItems: "flex-start", gap: 4, minHeight: 36 }}>
        <Typography variant="h1" tabIndex={-1} sx={{ minWidth: 0, mr: "auto", overflowWrap: "anywhere" }}>
          {title}
        </Typography>
        <Box sx={{ display: "contents", "@media print": { display: "none" } }}>
          {primary === undefined ? action : <Primary {...primary} />}
        </Box>
      </Box>
    </Stack>
  );
}

function Primary({ label, icon, onClick, disabledReason }: PrimaryAction) {
  const phone = useIsPhone();
  return (
    <Disabled reason={disabledReason}>
      {phone ? (
        <Fab data-floating="" variant="extended" color="primary" onClick={onClick} sx={{ ...floatingPosition, gap: 2 }}>
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
