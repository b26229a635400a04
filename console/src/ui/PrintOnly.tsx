// Text for print only, replacing controls that aren't printed.
import { Box } from "@mui/material";
import type { ReactNode } from "react";

export function PrintOnly({ children }: { children: ReactNode }) {
  return (
    <Box data-paper-only="" sx={{ display: "none", "@media print": { display: "block" }, color: "text.secondary" }}>
      {children}
    </Box>
  );
}
