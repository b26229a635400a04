// A page's form with what belongs to it beside; below it where there is no room.
import { Box, Stack } from "@mui/material";
import type { ReactNode } from "react";

export function FormColumns({ children, beside }: { children: ReactNode; beside: ReactNode }) {
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
      <Stack sx={{ gap: 4 }}>{beside}</Stack>
    </Box>
  );
}
