// Shows what an account may do with an object, right by right, with reasons.
import { getAccess } from "@psp/contract/access/access.api.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { AccessType } from "@psp/contract/permission/access.ts";
import CheckRounded from "~icons/ic/round-check";
import CloseRounded from "~icons/ic/round-close";
import { Alert, Box, Button, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useQuery } from "@tanstack/react-query";
import { call, CallError } from "../../api/call.ts";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { accessText as text, rightName } from "./access.text.ts";

type AccessQuestion = { account: string; type: AccessType; id: string };

const missing = errorCode.notFound;

function useAccess({ account, type, id }: AccessQuestion) {
  return useQuery({
    // The key starts with "account", so that changes of accounts and their roles refetch it.
    queryKey: ["account", "total", "access", account, type, id],
    queryFn: ({ signal }) => call(getAccess, { query: { account, type, id }, signal }),
  });
}

export function AccessResult(question: AccessQuestion) {
  const { data, error, refetch } = useAccess(question);
  if (error !== null && data === undefined) {
    const isMissing = error instanceof CallError && error.code === missing;
    return isMissing ? (
      <Alert severity="info">{text.missing}</Alert>
    ) : (
      <Alert
        severity="error"
        action={
          <Button size="small" color="inherit" onClick={() => void refetch()}>
            {text.again}
          </Button>
        }
      >
        {text.failed}
      </Alert>
    );
  }
  if (data === undefined) return <CardSkeleton lines={4} />;
  const label = text.answer(data.account.name, data.object.name);
  return (
    <Frame role="status">
      <Table size="small" aria-label={label} role="table">
        <TableHead role="rowgroup">
          <TableRow role="row">
            {[text.right, text.allowed, text.reason].map((name) => (
              <TableCell key={name} role="columnheader">
                {name}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody role="rowgroup">
          {Object.entries(data.rights).map(([right, { allowed, reason }]) => (
            <TableRow key={right} role="row">
              <TableCell component="th" scope="row" role="rowheader">
                {rightName(question.type, right)}
              </TableCell>
              <TableCell role="cell">
                <Verdict allowed={allowed} />
              </TableCell>
              <TableCell role="cell">{reason}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Frame>
  );
}

function Verdict({ allowed }: { allowed: boolean }) {
  const Icon = allowed ? CheckRounded : CloseRounded;
  return (
    <Box
      component="span"
      sx={{
        display: "inline-flex",
        alignItems: "center",
        gap: 1,
        fontWeight: 600,
        color: allowed ? "primary.main" : "text.secondary",
      }}
    >
      <Icon fontSize="small" aria-hidden />
      {allowed ? text.yes : text.no}
    </Box>
  );
}

/** Next to a form there is little room, so each right takes two lines. */
const Frame = styled("div")(({ theme }) => ({
  containerType: "inline-size",
  "& td, & th": { verticalAlign: "top", whiteSpace: "nowrap", padding: theme.spacing(2) },
  "& tbody th": { fontWeight: 600 },
  "& td:last-of-type": { width: "100%", whiteSpace: "normal", overflowWrap: "anywhere" },
  "& tbody tr:last-of-type > *": { borderBottom: 0 },
  "@container (max-width: 520px)": {
    "& table, & tbody": { display: "block" },
    "& thead": { position: "absolute", width: 1, height: 1, overflow: "hidden", clipPath: "inset(50%)" },
    "& tbody tr": {
      display: "grid",
      gridTemplateColumns: "1fr auto",
      paddingBlock: theme.spacing(2),
      borderBottom: `1px solid ${theme.vars.palette.divider}`,
    },
    "& tbody tr:last-of-type": { borderBottom: 0 },
    "& tbody tr > *": { border: 0, padding: 0 },
    "& td:last-of-type": { gridColumn: "1 / -1", color: theme.vars.palette.text.secondary },
  },
}));
