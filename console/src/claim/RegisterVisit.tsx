// Around the registration screens: who may register at all, and the codes that the address brought along, claimed at once (CL-03, ADR 0026).
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { Outlet } from "@tanstack/react-router";
import { searchText } from "../address/address.ts";
import { useSearchParams } from "../address/navigation.tsx";
import { useCan } from "../session/useCan.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ClaimTable } from "./ClaimTable.tsx";
import { failureOf } from "./claim.failure.ts";
import { claimText } from "./claim.text.ts";
import { usePrefilled, VisitProvider } from "./claim.visit.tsx";
import { codesOf } from "./scanned-link.ts";

export function RegisterVisit() {
  const { claim } = useCan();
  if (!claim()) {
    return (
      <>
        <PageHeader title={claimText.title} />
        <EmptyState kind="denied" title={claimText.deniedTitle} text={claimText.denied} />
      </>
    );
  }
  return (
    <VisitProvider>
      <Brought />
    </VisitProvider>
  );
}

function Brought() {
  const { code, c } = useSearchParams();
  const prefilled = usePrefilled(codesOf(searchText({ code, c })));
  if (prefilled.phase === "IN_PROGRESS") {
    const { rows } = prefilled;
    return (
      <Box sx={{ width: 1, maxWidth: 760, mx: "auto" }}>
        <PageHeader title={claimText.title} />
        <Box role="status" sx={{ display: "flex", alignItems: "center", gap: 3, mb: 5 }}>
          <CircularProgress size={20} aria-hidden />
          {claimText.claiming(rows.length)}
        </Box>
        {rows.length === 0 ? null : <ClaimTable rows={rows} />}
      </Box>
    );
  }
  return (
    <>
      {prefilled.phase === "FAILED" ? (
        <Alert
          severity="error"
          action={
            <Button color="inherit" onClick={prefilled.retry}>
              {claimText.tryAgain}
            </Button>
          }
          sx={{ mb: 5, width: 1, maxWidth: 760, mx: "auto" }}
        >
          <strong>{failureOf(prefilled.error).title}.</strong> {failureOf(prefilled.error).text}
        </Alert>
      ) : null}
      <Outlet />
    </>
  );
}
