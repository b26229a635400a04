// Lazily loaded bottom sheet with the filters of a list.
import { Box, Button, Drawer } from "@mui/material";
import type { ReactNode } from "react";

type FilterSheetProps = { open: boolean; titleId: string; head: ReactNode; fields: ReactNode; onClose: () => void };

export function FilterSheet({ open, titleId, head, fields, onClose }: FilterSheetProps) {
  return (
    <Drawer
      anchor="bottom"
      open={open}
      onClose={onClose}
      slotProps={{
        paper: {
          role: "dialog",
          "aria-modal": true,
          "aria-labelledby": titleId,
          sx: {
            borderRadius: "12px 12px 0 0",
            maxHeight: "88dvh",
            maxWidth: 640,
            mx: "auto",
            borderTop: 1,
            borderColor: "divider",
          },
        },
      }}
    >
      <Box sx={{ px: 4, pt: 3, position: "sticky", top: 0, bgcolor: "background.paper", zIndex: 1 }}>{head}</Box>
      <Box sx={{ px: 4, py: 3 }}>{fields}</Box>
      <Box
        sx={{
          p: 4,
          pb: "calc(16px + env(safe-area-inset-bottom))",
          position: "sticky",
          bottom: 0,
          bgcolor: "background.paper",
          borderTop: 1,
          borderColor: "divider",
        }}
      >
        <Button fullWidth variant="contained" onClick={onClose}>
          Show results
        </Button>
      </Box>
    </Drawer>
  );
}
