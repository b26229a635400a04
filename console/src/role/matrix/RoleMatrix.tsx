// Matrix of a role's rights by action and noun, compared with the user's own role. Its cells link to the settings (RO-03,
// RO-04).
import { findExceedingScope } from "@psp/contract/permission/can.ts";
import { getRightName } from "@psp/contract/permission/right-names.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { Alert, Box, ButtonBase, Typography } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useId } from "react";
import { useActor } from "../../api/session/session.tsx";
import { useRoleNames } from "../RolesPicker.tsx";
import {
  accountCreationKey,
  type RightDifference,
  compareWithOwn,
  keyOfCell,
  matrixActions,
  matrixNouns,
  scopeOfCell,
} from "./matrix.ts";
import { describeReach, type Rights, toPermissions } from "../permission.form.ts";
import { permissionText as text } from "../permission.text.ts";

type RoleMatrixProps = {
  rights: Rights;
  before: Rights;
  onOpen: (key: string) => void;
};

export function RoleMatrix({ rights, before, onOpen }: RoleMatrixProps) {
  const actor = useActor();
  const titleId = useId();
  const nameOf = useRoleNames(Object.values(rights.scopes).flatMap((scope) => scope.roles ?? []));
  const beyond = findExceedingScope(actor, toPermissions(rights), toPermissions(before));
  return (
    <Box component="section" aria-labelledby={titleId} sx={{ minWidth: 0, display: "grid", gap: 3 }}>
      <Box>
        <Typography id={titleId} variant="h2">
          {text.overview}
        </Typography>
        <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{text.overviewLead}</Box>
      </Box>
      <Box role="status">
        {beyond === null ? null : <Alert severity="warning">{text.beyond(getRightName(beyond))}</Alert>}
      </Box>
      <Box role="group" tabIndex={0} aria-labelledby={titleId} sx={{ overflowX: "auto" }}>
        <Matrix aria-labelledby={titleId}>
          <thead>
            <tr>
              <th scope="col">{text.act}</th>
              {matrixNouns.map((noun) => (
                <th key={noun} scope="col">
                  {text.nouns[noun]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrixActions.map((act) => (
              <tr key={act}>
                <th scope="row">{text.acts[act]}</th>
                {matrixNouns.map((noun) => {
                  const key = keyOfCell(act, noun);
                  if (key === undefined) return <td key={noun} />;
                  return (
                    <td key={noun}>
                      <Cell
                        name={getRightName(key)}
                        words={wordsOf(key, scopeOfCell(rights, key), nameOf)}
                        difference={compareWithOwn(actor, rights, key)}
                        onOpen={() => onOpen(key)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </Matrix>
      </Box>
    </Box>
  );
}

function wordsOf(key: string, scope: Scope, nameOf: (id: string) => string | undefined): string | null {
  if (key === accountCreationKey) return scope.me ? text.createsBelow : null;
  return describeReach(scope, nameOf);
}

type CellProps = { name: string; words: string | null; difference: RightDifference; onOpen: () => void };

function Cell({ name, words, difference, onOpen }: CellProps) {
  const isNothing = words === null && difference === "same";
  const compared = text.differences[difference];
  const label = `${name}: ${words ?? text.none}, ${compared}`;
  return (
    <ButtonBase
      aria-label={label}
      onClick={onOpen}
      sx={{
        display: "flex",
        flexDirection: words === null ? "row" : "column",
        columnGap: 2,
        alignItems: "flex-start",
        justifyContent: "flex-start",
        textAlign: "left",
        font: "inherit",
        width: 1,
        minHeight: 28,
        px: 1.5,
        py: 1,
        borderRadius: 1,
        "&:hover, &:focus-visible": { bgcolor: "action.hover" },
        ...(difference === "more" && { boxShadow: "inset 2px 0 0 var(--mui-palette-warning-main)" }),
      }}
    >
      <span>{words ?? "–"}</span>
      {isNothing ? null : (
        <Box
          component="span"
          sx={{
            color: difference === "more" ? "text.primary" : "text.secondary",
            fontWeight: difference === "more" ? 600 : 400,
          }}
        >
          {text.signs[difference]} {compared}
        </Box>
      )}
    </ButtonBase>
  );
}

const Matrix = styled("table")(({ theme }) => ({
  borderCollapse: "collapse",
  tableLayout: "fixed",
  width: "100%",
  minWidth: 620,
  fontSize: "0.75rem",
  lineHeight: "16px",
  "& th": {
    textAlign: "left",
    verticalAlign: "top",
    fontWeight: 600,
    padding: theme.spacing(1, 1.5),
    color: theme.vars.palette.text.secondary,
  },
  "& thead th:first-of-type": { width: 84 },
  "& td": { padding: 0, verticalAlign: "top", height: 1 },
  "& tr > *": { borderBottom: `1px solid ${theme.vars.palette.divider}` },
}));
