// The frame of the authentication screen: sign, heading, one card in the middle.
import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Logo } from "../ui/Logo.tsx";

export function AuthScreen({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box sx={{ m: "auto", width: 1, maxWidth: 400, py: 6, display: "flex", flexDirection: "column", gap: 5 }}>
      <Box sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 3, textAlign: "center" }}>
        <Logo size={40} />
        <Typography variant="h1" tabIndex={-1}>
          {title}
        </Typography>
      </Box>
      <Card>
        <CardContent
          sx={{ p: { xs: "20px !important", sm: "28px !important" }, display: "flex", flexDirection: "column", gap: 4 }}
        >
          {children}
        </CardContent>
      </Card>
    </Box>
  );
}
