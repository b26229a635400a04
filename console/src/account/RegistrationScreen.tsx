// The frame of the registration pages: sign, heading, one card; and what they say in place of a form.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import CircularProgress from "@mui/material/CircularProgress";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Logo } from "../app/Logo.tsx";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { registrationText } from "./registration.text.ts";

/** Props: `title`, `text?` below it. */
export function RegistrationScreen({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <Box
      sx={{
        mx: "auto",
        width: 1,
        maxWidth: 640,
        py: { xs: 4, sm: 6 },
        display: "flex",
        flexDirection: "column",
        gap: 5,
      }}
    >
      <Box sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 3, textAlign: "center" }}>
        <Logo size={40} />
        <Typography variant="h1" tabIndex={-1}>
          {title}
        </Typography>
        {text === undefined ? null : <Typography sx={{ color: "text.secondary" }}>{text}</Typography>}
      </Box>
      {children === undefined ? null : (
        <Card>
          <CardContent
            sx={{
              p: { xs: "20px !important", sm: "28px !important" },
              display: "flex",
              flexDirection: "column",
              gap: 5,
            }}
          >
            {children}
          </CardContent>
        </Card>
      )}
    </Box>
  );
}

/** While the server is asked. */
export function RegistrationSpinner({ label }: { label: string }) {
  return (
    <Box role="status" aria-busy sx={{ m: "auto", p: 8 }}>
      <CircularProgress aria-label={label} />
    </Box>
  );
}

export function ToLoginButton() {
  const go = useGo();
  return (
    <Button
      variant="contained"
      onClick={() => go(paths.login, { query: "none" })}
      sx={{ minHeight: 40, alignSelf: "center" }}
    >
      {registrationText.toLogin}
    </Button>
  );
}
