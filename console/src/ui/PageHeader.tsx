// The head of every page: title and primary action (top right, floating on the phone).
import { Box, Button, Fab, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { usePhone } from "./theme/theme.ts";
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
