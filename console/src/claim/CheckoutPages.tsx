// Result pages after registration, without a header because users come from the link on a label.
import CheckRounded from "~icons/ic/round-check";
import { Box, Button, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { Logo } from "../ui/Logo.tsx";
import { useGo, useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { ClaimTable } from "./ClaimTable.tsx";
import type { ClaimRow } from "./claim.flow.ts";
import { NextSteps } from "./NextSteps.tsx";
import { claimText } from "./claim.text.ts";
import { useVisit } from "./RegisterVisit.tsx";

function Stage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box
      sx={{
        width: 1,
        maxWidth: 760,
        mx: "auto",
        py: { xs: 2, sm: 6 },
        display: "flex",
        flexDirection: "column",
        gap: 5,
      }}
    >
      <Box sx={{ display: "flex", alignItems: "center", gap: 3 }}>
        <Logo size={32} />
        <Typography variant="h1" tabIndex={-1}>
          {title}
        </Typography>
      </Box>
      {children}
    </Box>
  );
}

function Nothing() {
  const register = useLink(paths.registerSensors, "none");
  return (
    <EmptyState
      kind="none"
      title={claimText.nothingTitle}
      text={claimText.nothingText}
      action={{ label: claimText.title, href: register.href }}
    />
  );
}

const claimedIn = (rows: readonly ClaimRow[]) => rows.filter((row) => row.claimingStatus === "CLAIMED").length;

function Ways({ next }: { next?: readonly [label: string, path: string] | false }) {
  const go = useGo();
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3, "& > *": { flex: { xs: 1, sm: "none" } } }}>
      <Button variant="outlined" onClick={() => go(paths.registerSensors, { query: "none" })}>
        {claimText.another}
      </Button>
      {next ? (
        <Button variant="contained" onClick={() => go(next[1], { query: "none" })}>
          {next[0]}
        </Button>
      ) : null}
    </Box>
  );
}

export function CheckoutPage() {
  const { rows } = useVisit();
  const claimed = claimedIn(rows);
  return (
    <Stage title={claimText.checkoutTitle}>
      {rows.length === 0 ? (
        <Nothing />
      ) : (
        <>
          <Box>{claimText.checkoutIntro(claimed)}</Box>
          <ClaimTable rows={rows} />
          <Ways next={claimed > 0 && [claimText.finish, paths.registerSuccess]} />
        </>
      )}
    </Stage>
  );
}

export function SuccessPage() {
  const { rows } = useVisit();
  const claimed = claimedIn(rows);
  if (claimed === 0) {
    return (
      <Stage title={claimText.title}>
        <Nothing />
      </Stage>
    );
  }
  return (
    <Stage title={claimText.successTitle}>
      <Box sx={{ display: "flex", alignItems: "center", gap: 3 }}>
        <CheckRounded color="success" />
        {claimText.successText(claimed)}
      </Box>
      <NextSteps rows={rows} />
      <Ways next={[claimText.toSensors, paths.sensors]} />
    </Stage>
  );
}
