// A card that is a section of a page, named by its heading.
import { Card, CardContent, Typography } from "@mui/material";
import type { SxProps } from "@mui/material/styles";
import type { ReactNode } from "react";

type SectionCardProps = {
  title: string;
  /** Replaces the heading; must contain a heading with the title. */
  head?: ReactNode;
  /** Spacing between children, in units of 4 px; default 3. */
  gap?: number;
  sx?: SxProps;
  children: ReactNode;
};

export function SectionCard({ title, head, gap = 3, sx = {}, children }: SectionCardProps) {
  return (
    <Card component="section" aria-label={title} sx={sx}>
      <CardContent sx={{ display: "flex", flexDirection: "column", gap }}>
        {head ?? <Typography variant="h2">{title}</Typography>}
        {children}
      </CardContent>
    </Card>
  );
}
