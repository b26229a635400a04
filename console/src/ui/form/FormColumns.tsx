// A page's form with secondary content beside it, or below it on narrow screens.
import { Box, Stack } from "@mui/material";
import type { ReactNode } from "react";

type FormColumnsProps = {
  children: ReactNode;
  aside: ReactNode;
  /** Keeps the secondary content visible while the form scrolls. */
  sticky?: boolean;
};

export function FormColumns({ children, aside, sticky = false }: FormColumnsProps) {
  return (
    <Box
      sx={{
        display: "grid",
        gap: 4,
        alignItems: "start",
        gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 640px) minmax(300px, 1fr)" },
      }}
    >
      {children}
      <Stack sx={{ gap: 4, ...(sticky && { position: { lg: "sticky" }, top: "calc(var(--sticky-top) + 16px)" }) }}>
        {aside}
      </Stack>
    </Box>
  );
}
