// History of an object from the audit log. Refused attempts are only shown to users who may edit the object.
import type { LiveType } from "@psp/contract/live/live-message.ts";
import DownloadRounded from "~icons/ic/round-download";
import { Box, Button, Stack } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useState } from "react";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { failureText } from "../api/useFailure.ts";
import type { DialogTab } from "../entity/page/DialogTabs.tsx";
import type { OwnedRow } from "../entity/entity.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import type { FieldChange, ChangePart } from "./changes.ts";
import { HistoryFilters } from "./HistoryFilters.tsx";
import { type HistoryEntry, toHistoryEntry, referencesIn } from "./entries.ts";
import {
  buildExportUrl,
  type HistoryFilter,
  type NameLookup,
  noFilter,
  historyPageSize,
  useHistory,
  useNames,
} from "./history.queries.ts";
import { historyText as text } from "./history.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

type HistoryProps = {
  type: LiveType;
  id: string;
  mayEdit: boolean;
};

export function HistoryCard({ type, row }: { type: "sensor" | "measurement"; row: OwnedRow }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([row.owner._id]);
  return (
    <SectionCard title={text.title} gap={4} sx={{ maxWidth: 860 }}>
      {ready ? (
        <History key={row._id} type={type} id={row._id} mayEdit={can.edit(type, ownerOf(row.owner._id))} />
      ) : (
        <CardSkeleton lines={6} />
      )}
    </SectionCard>
  );
}

export const createHistoryTab = (type: LiveType, id: string, mayEdit: boolean): DialogTab => ({
  id: "history",
  label: text.title,
  content: <History key={id} type={type} id={id} mayEdit={mayEdit} />,
});

function History({ type, id, mayEdit }: HistoryProps) {
  const [filter, setFilter] = useState(noFilter);
  const [page, setPage] = useState(1);
  const { data, error, refetch, isPlaceholderData } = useHistory(type, id, filter, page, mayEdit);
  const isFiltered = Object.values(filter).some((value) => value !== null && value !== "");
  const rows = data?.objects ?? [];
  const isEnd = data !== undefined && !isFiltered && (data.page - 1) * historyPageSize + rows.length >= data.total;
  const entries = rows.map((row, index) =>
    toHistoryEntry(row, isEnd && index === rows.length - 1, data?.sectionChanges),
  );
  const nameOf = useNames(referencesIn(entries));
  const change = (next: Partial<HistoryFilter>) => {
    setFilter({ ...filter, ...next });
    setPage(1);
  };
  if (data === undefined)
    return error === null ? (
      <CardSkeleton lines={6} />
    ) : (
      <EmptyState
        kind="error"
        title={text.loadFailed}
        text={failureText(error)}
        action={{ label: "Try again", onClick: () => void refetch() }}
      />
    );
  return (
    <Stack sx={{ gap: 4 }}>
      <HistoryFilters filter={filter} onChange={change} refusals={mayEdit} />
      {rows.length === 0 ? (
        <EmptyState
          {...(isFiltered
            ? {
                kind: "noMatch",
                title: text.noMatch,
                text: text.noMatchText,
                action: { label: text.showAll, onClick: () => change(noFilter) },
              }
            : { kind: "none", title: text.empty, text: text.emptyText })}
        />
      ) : (
        <Entries aria-label={text.title} aria-busy={isPlaceholderData}>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} nameOf={nameOf} />
          ))}
        </Entries>
      )}
      {isEnd && entries.at(-1)?.begins === "came" ? (
        <Box sx={{ color: "text.secondary" }}>{text.formerOwner}</Box>
      ) : null}
      {data.total === 0 ? null : (
        <Pages page={page} shown={rows.length} total={data.total} onPage={setPage}>
          <Button
            component="a"
            color="inherit"
            startIcon={<DownloadRounded />}
            href={buildExportUrl(type, id, filter, mayEdit)}
            download
            sx={{ ml: { sm: 2 } }}
          >
            {text.download}
          </Button>
        </Pages>
      )}
    </Stack>
  );
}

type PagesProps = {
  page: number;
  shown: number;
  total: number;
  onPage: (page: number) => void;
  children: ReactNode;
};

/** Has no input for the page number, because that would be a form inside the dialog's form. */
function Pages({ page, shown, total, onPage, children }: PagesProps) {
  const before = (page - 1) * historyPageSize;
  return (
    <Box
      component="nav"
      aria-label={text.pages}
      sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 2, color: "text.secondary" }}
    >
      <Box component="span" role="status" sx={{ mr: "auto" }}>
        {text.range(before + 1, before + shown, formatNumber(total))}
      </Box>
      {page > 1 ? <Button onClick={() => onPage(page - 1)}>{text.newer}</Button> : null}
      {before + shown < total ? <Button onClick={() => onPage(page + 1)}>{text.older}</Button> : null}
      {children}
    </Box>
  );
}

const Entries = styled("ol")(({ theme }) => ({
  listStyle: "none",
  margin: 0,
  padding: 0,
  "& > li": { padding: theme.spacing(3, 0), borderTop: `1px solid ${theme.vars.palette.divider}` },
  "& > li:first-of-type": { borderTop: 0, paddingTop: 0 },
}));

const Changes = styled("dl")(({ theme }) => ({
  margin: theme.spacing(1, 0, 0),
  display: "grid",
  gridTemplateColumns: "minmax(0, 168px) minmax(0, 1fr)",
  [theme.breakpoints.down("sm")]: { gridTemplateColumns: "minmax(0, 112px) minmax(0, 1fr)" },
  columnGap: theme.spacing(4),
  rowGap: theme.spacing(1),
  "& > div": { display: "contents" },
  "& dt": { color: theme.vars.palette.text.secondary, overflowWrap: "anywhere" },
  "& dd": { margin: 0, overflowWrap: "anywhere" },
}));

/** Number of changes shown in a collapsed entry. The change of a role may contain thirty. */
const shownFirst = 8;

function Row({ entry, nameOf }: { entry: HistoryEntry; nameOf: NameLookup }) {
  const [all, setAll] = useState(false);
  const { changes, notes } = entry;
  const shown = all || changes.length <= shownFirst + 1 ? changes : changes.slice(0, shownFirst);
  return (
    <li>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 3, alignItems: "baseline" }}>
        <Box
          component="span"
          sx={{
            fontWeight: 600,
            mr: "auto",
            overflowWrap: "anywhere",
            ...(entry.isRefused && { color: "error.main" }),
          }}
        >
          {entry.title}
        </Box>
        <Box component="span" sx={{ color: "text.secondary" }}>
          <Who who={entry.who} nameOf={nameOf} />
          {" · "}
          <RelativeTime value={entry.at} />
        </Box>
      </Box>
      {notes.map((note) => (
        <Box key={note} sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          {note}
        </Box>
      ))}
      {changes.length === 0 ? null : (
        <Changes>
          {shown.map((change) => (
            <div key={change.field}>
              <dt>{change.field}</dt>
              <dd>
                <Values change={change} nameOf={nameOf} />
              </dd>
            </div>
          ))}
        </Changes>
      )}
      {shown.length < changes.length ? (
        <Button size="small" onClick={() => setAll(true)} sx={{ mt: 1, ml: -2 }}>
          {text.more(changes.length - shown.length)}
        </Button>
      ) : null}
    </li>
  );
}

function Who({ who, nameOf }: { who: HistoryEntry["who"]; nameOf: NameLookup }) {
  if (typeof who === "string") return <>{who}</>;
  // Shows the account's name at the time of the entry, as a link if the user can view the account.
  return typeof nameOf("account", who.id) === "string" ? (
    <AppLink to={paths.account(who.id)} query="none" underline="always" sx={standaloneLinkStyles}>
      {who.name}
    </AppLink>
  ) : (
    <>{who.name}</>
  );
}

function Values({ change: { before, after }, nameOf }: { change: FieldChange; nameOf: NameLookup }): ReactNode {
  if (after === undefined) return text.newSecret;
  return (
    <>
      {before === undefined ? null : (
        <>
          <Parts parts={before} nameOf={nameOf} />
          {" → "}
        </>
      )}
      <Parts parts={after} nameOf={nameOf} />
    </>
  );
}

const pathOf = {
  account: paths.account,
  role: paths.role,
  measurement: paths.locationGeneral,
  artifact: paths.firmwareItem,
};

function Parts({ parts, nameOf }: { parts: readonly ChangePart[]; nameOf: NameLookup }) {
  return parts.map((part, index) => {
    if (typeof part === "string") return <span key={index}>{part}</span>;
    const name = nameOf(part.type, part.id);
    if (name === undefined) return <span key={index}>…</span>;
    if (name === null) return <span key={index}>{text.hidden[part.type]}</span>;
    return (
      // Within text, links need more than color.
      <AppLink key={index} to={pathOf[part.type](part.id)} query="none" underline="always" sx={standaloneLinkStyles}>
        {name}
      </AppLink>
    );
  });
}
