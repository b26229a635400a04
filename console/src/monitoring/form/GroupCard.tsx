// Card for a group of related fields.
import { Box, Card, CardContent, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";

type GroupCardProps = {
  title: string;
  action?: ReactNode;
  children: ReactNode;
};

export function GroupCard({ title, action, children }: GroupCardProps) {
  const titleId = useId();
  return (
    <Card role="group" aria-labelledby={titleId}>
      <CardContent sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", justifyContent: "space-between", gap: 2 }}>
          <Typography id={titleId} variant="h2">
            {title}
          </Typography>
          {action}
        </Box>
        {children}
      </CardContent>
    </Card>
  );
}
