// What to do about an open issue, who works on it, and the notes.
import type { IssueDetail, IssueNote } from "@psp/contract/monitoring/issue.ts";
import { Box, Button, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { AppLink } from "../../address/navigation.tsx";
import { FactList, type Facts } from "../../ui/FactList.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { useNoWorkReason } from "../work/WorkBatch.tsx";
import { WorkDialog } from "../work/WorkDialog.tsx";
import type { WorkKind } from "../work/work.queries.ts";
import { advice, workText as text } from "../work/work.text.ts";

export const isOpenIssue = ({ holds, data, since }: IssueDetail) =>
  holds && data.issueStatus !== "Ok" && since !== null;

export function IssueAdvice({ issue: { data, sens, measurement } }: { issue: IssueDetail }) {
  const { text: sentence, link, to } = advice[data.issueType];
  return (
    <Box component="section" aria-label={text.next} sx={{ p: 3, borderRadius: "8px", bgcolor: "action.hover" }}>
      <div>{sentence}</div>
      <AppLink to={to(sens, measurement?._id ?? null)} query="none" sx={standaloneLinkStyles}>
        {link}
      </AppLink>
    </Box>
  );
}

export function IssueWork({ issue }: { issue: IssueDetail }) {
  const [kind, setKind] = useState<WorkKind | null>(null);
  const disabledReason = useNoWorkReason();
  const { assignee, snoozedUntil, notes } = issue;
  const isOpen = isOpenIssue(issue);
  // An open dialog stays, so that typed text is not lost when the issue is resolved.
  if (!isOpen && notes.length === 0 && kind === null) return null;
  const facts: Facts = [
    [text.assignee, assignee === null ? text.notAssigned : `${assignee.email} (${assignee.account.name})`],
    [
      text.snoozed,
      snoozedUntil === null ? text.notSnoozedNow : text.snoozedUntil(formatExactTime(Date.parse(snoozedUntil))),
    ],
  ];
  return (
    <Box component="section" aria-label={text.work}>
      <Typography variant="h3" sx={{ mb: 2 }}>
        {isOpen ? text.work : text.notes}
      </Typography>
      {isOpen ? <FactList facts={facts} /> : null}
      {notes.length === 0 ? null : (
        <Stack component="ul" aria-label={text.notes} sx={{ listStyle: "none", m: 0, mt: 3, p: 0, gap: 3 }}>
          {notes.map((note) => (
            <Note key={note._id} note={note} />
          ))}
        </Stack>
      )}
      {isOpen ? (
        <Stack direction="row" sx={{ mt: 3, gap: 2, flexWrap: "wrap" }}>
          {(["assign", "note", "snooze"] as const).map((one) => (
            <Disabled key={one} reason={disabledReason}>
              <Button size="small" variant="outlined" color="inherit" onClick={() => setKind(one)}>
                {text[one]}
              </Button>
            </Disabled>
          ))}
        </Stack>
      ) : null}
      {kind === null ? null : <WorkDialog kind={kind} issue={issue} onClose={() => setKind(null)} />}
    </Box>
  );
}

function Note({ note: { text: words, at, by } }: { note: IssueNote }) {
  return (
    <li>
      <Box sx={{ overflowWrap: "anywhere" }}>{words}</Box>
      <Box sx={{ color: "text.secondary", typography: "body2" }}>
        {by === null ? text.someone : (by.email ?? by.name)} · {formatExactTime(Date.parse(at))}
      </Box>
    </li>
  );
}
