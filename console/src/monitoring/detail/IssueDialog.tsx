// Dialog that shows an issue with its mails and the facts of its check, and acknowledges it.
import { formatLocalTime } from "@psp/contract/kit/format-time.ts";
import type { IssueDetail } from "@psp/contract/monitoring/issue.ts";
import {
  Box,
  Button,
  CircularProgress,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
  Typography,
} from "@mui/material";
import { type ReactNode, useCallback, useContext, useId, useLayoutEffect, useRef } from "react";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { failureText, useAttempt } from "../../api/useFailure.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { useIsPhone } from "../../ui/theme/theme.ts";
import { type Facts, FactList } from "../../ui/FactList.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { issueTones } from "../issue-tones.ts";
import { isMissing, useAcknowledge, useIssue } from "../issue.queries.ts";
import { issueDialogText as text, issueStatusLabels, issueText, issueTypeLabels } from "../issue.text.ts";
import { useAcknowledgeDisabledReason } from "../logs/IssueBatch.tsx";
import { IssueFacts } from "./IssueFacts.tsx";
import { IssueAdvice, IssueWork, isOpenIssue } from "./IssueWork.tsx";
import { SensorViewContext } from "./sensor-view.ts";

type IssueDialogProps = {
  id: string;
  timeZone: string | null;
  onClose: () => void;
};

export function IssueDialog({ id, timeZone, onClose }: IssueDialogProps) {
  const titleId = useId();
  const close = useRef<HTMLButtonElement>(null);
  const toClose = useCallback(() => close.current?.focus(), []);
  const phone = useIsPhone();
  const { data: issue, error, refetch } = useIssue(id);
  const title = issue === undefined ? issueText.title : `${issueTypeLabels[issue.data.issueType]}: ${issue.sens}`;
  return (
    <Dialog
      open
      onClose={onClose}
      fullScreen={phone}
      fullWidth
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: phone ? { border: 0, borderRadius: 0 } : { maxWidth: 600 } } }}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        {issue !== undefined ? (
          <Shown issue={issue} timeZone={timeZone} />
        ) : error === null ? (
          <CardSkeleton lines={8} />
        ) : isMissing(error) ? (
          <EmptyState kind="notFound" title={text.gone} />
        ) : (
          <EmptyState
            kind="error"
            title={text.loadFailed}
            text={failureText(error)}
            action={{ label: "Try again", onClick: () => void refetch() }}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button ref={close} color="inherit" variant="outlined" autoFocus onClick={onClose}>
          {text.close}
        </Button>
        {issue === undefined ? null : <Acknowledge issue={issue} onGone={toClose} />}
      </DialogActions>
    </Dialog>
  );
}

/** Calls `onGone` to move the focus, because the button disappears after acknowledging. */
function Acknowledge({ issue: { id, data }, onGone }: { issue: IssueDetail; onGone: () => void }) {
  const acknowledge = useAcknowledge(id);
  const attempt = useAttempt();
  const reason = useAcknowledgeDisabledReason();
  const { isPending } = acknowledge;
  const isOffered = data.issueStatus !== "Ok" && data.acknowledgedAt === null;
  // A layout effect, so that no key press is lost between removing the button and moving the focus.
  useLayoutEffect(() => {
    if (!isOffered && document.activeElement === document.body) onGone();
  }, [isOffered, onGone]);
  if (!isOffered) return null;
  return (
    <Disabled reason={reason}>
      <Button
        variant="contained"
        aria-disabled={isPending}
        startIcon={isPending ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
        onClick={() => {
          if (isPending) return;
          void attempt(issueText.acknowledgeFailed, () => acknowledge.mutateAsync());
        }}
      >
        {issueText.setAcknowledged}
      </Button>
    </Disabled>
  );
}

type ShownProps = Pick<IssueDialogProps, "timeZone"> & { issue: IssueDetail };

function Shown({ issue, timeZone }: ShownProps) {
  const view = useContext(SensorViewContext);
  const { data, sens, measurement, startUTC, holds, mails, notMailed } = issue;
  const at = (iso: string) => formatExactTime(Date.parse(iso), timeZone ?? undefined);
  const minute = (iso: string) =>
    formatLocalTime(Date.parse(iso), timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const facts: Facts = [
    [
      issueText.status,
      <Box key="status" sx={{ display: "flex", flexWrap: "wrap", columnGap: 3 }}>
        <StatusDot tone={issueTones[data.issueStatus]} label={issueStatusLabels[data.issueStatus]} />
        <Box component="span" sx={{ color: "text.secondary" }}>
          {holds ? text.holds : text.over}
        </Box>
      </Box>,
    ],
    [issueText.type, issueTypeLabels[data.issueType]],
    [
      issueText.sensor,
      <AppLink key="sensor" to={paths.sensor(sens)} query="none" sx={standaloneLinkStyles}>
        <Mono>{sens}</Mono>
      </AppLink>,
    ],
    [
      text.location,
      measurement === null ? (
        "-"
      ) : (
        <AppLink key="location" to={paths.locationGeneral(measurement._id)} query="none" sx={standaloneLinkStyles}>
          {measurement.name}
        </AppLink>
      ),
    ],
    [issueText.created, at(startUTC)],
    ...(issue.facts.since ? [[text.since, at(issue.facts.since)] as const] : []),
    [issueText.acknowledged, acknowledgedWords(issue, at)],
    [text.mails, <Mails key="mails" mails={mails} notMailed={notMailed} at={minute} />],
  ];
  return (
    <Stack sx={{ gap: 5 }}>
      <Box sx={{ overflowWrap: "anywhere" }}>{data.issueMessage}</Box>
      {isOpenIssue(issue) ? <IssueAdvice issue={issue} /> : null}
      <FactList facts={facts} />
      <IssueWork issue={issue} />
      <Box component="section" aria-label={text.facts}>
        <Typography variant="h3" sx={{ mb: 2 }}>
          {text.facts}
        </Typography>
        <IssueFacts issue={issue} timeZone={timeZone} />
      </Box>
      {data.issueType === "osd" && holds && data.issueStatus !== "Ok" ? view(sens) : null}
    </Stack>
  );
}

function acknowledgedWords({ data, acknowledgedBy }: IssueDetail, at: (iso: string) => string): string {
  if (data.issueStatus === "Ok") return text.noAcknowledging;
  if (data.acknowledgedAt === null) return text.unacknowledged;
  const when = at(data.acknowledgedAt);
  return acknowledgedBy === null ? text.acknowledged(when) : text.acknowledgedBy(acknowledgedBy.name, when);
}

type MailsProps = Pick<IssueDetail, "mails" | "notMailed"> & { at: (iso: string) => string };

function Mails({ mails, notMailed, at }: MailsProps): ReactNode {
  if (mails.length === 0) return notMailed === null ? text.none : text.notMailed(notMailed);
  return (
    <Box component="ul" aria-label={text.mails} sx={{ listStyle: "none", m: 0, p: 0 }}>
      {mails.map((mail) => (
        <li key={`${mail.to} ${mail.state} ${mail.at ?? ""}`}>{mailWords(mail, at)}</li>
      ))}
    </Box>
  );
}

function mailWords(mail: IssueDetail["mails"][number], at: (iso: string) => string): string {
  const { to, state, reason } = mail;
  switch (state) {
    case "sent":
      return mail.at === null ? text.mailedOnce(to) : text.mailed(to, at(mail.at));
    case "waiting":
      return mail.at === null ? text.mailWaits(to) : text.mailWaitsUntil(to, at(mail.at));
    case "dropped":
      return text.mailDropped(to, reason ?? text.noReason);
  }
}
