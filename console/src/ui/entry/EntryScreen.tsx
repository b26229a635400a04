// The frame of the pages before the console, for signing in and registering: sign, heading, one card in the middle.
import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import Typography from "@mui/material/Typography";
import { type ReactNode, useEffect, useRef } from "react";
import { Logo } from "../Logo.tsx";

type EntryScreenProps = {
  title: string;
  /** Below the title. */
  text?: string | undefined;
  /** For more than a few fields: begins at the top of the page. */
  wide?: boolean;
  /** In place of another screen: takes the focus, so that it is read out. */
  replaces?: boolean;
  children?: ReactNode;
};

const places = {
  narrow: { m: "auto", maxWidth: 400, py: 6 },
  wide: { mx: "auto", maxWidth: 640, py: { xs: 4, sm: 6 } },
} as const;

export function EntryScreen({ title, text, wide = false, replaces = false, children }: EntryScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (replaces) heading.current?.focus();
  }, [replaces]);
  return (
    <Box sx={{ ...places[wide ? "wide" : "narrow"], width: 1, display: "flex", flexDirection: "column", gap: 5 }}>
      <Box sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 3, textAlign: "center" }}>
        <Logo size={40} />
        <Typography ref={heading} variant="h1" tabIndex={-1}>
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
              gap: wide ? 5 : 4,
            }}
          >
            {children}
          </CardContent>
        </Card>
      )}
    </Box>
  );
}
