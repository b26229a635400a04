// Page for unsubscribe and confirmation links in mails. Opening it has no effect, because mail scanners open links, too.
import { maxUnconfirmedMails } from "@psp/contract/monitoring/limits.ts";
import {
  confirmMails,
  getMailSubscription,
  type MailSubscription,
  unsubscribe,
} from "@psp/contract/report/subscription.api.ts";
import { Button, CircularProgress, Typography } from "@mui/material";
import { useMutation } from "@tanstack/react-query";
import { AppLink, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call, CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EntryScreen, EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { useLinkData } from "../registration/RegistrationScreen.tsx";
import { reportText } from "./report.text.ts";

const isInvalid = (error: unknown) => error instanceof CallError && error.status === 400;

export function UnsubscribePage() {
  const search = useSearchParams();
  const token = typeof search["token"] === "string" ? search["token"] : "";
  // Only a guess for the first render. The server determines what the link is about.
  const about = token.startsWith("alerts.") ? "alerts" : token.startsWith("report-") ? "report" : "weekly-report";
  return (
    <EntryScreen title={reportText.title[about]}>
      <Ending token={token} />
      <AppLink to={paths.root} query="none" sx={standaloneLinkStyles}>
        {reportText.toConsole}
      </AppLink>
    </EntryScreen>
  );
}

function Ending({ token }: { token: string }) {
  const { answer, error, setAnswer, retry } = useLinkData(token, (signal) =>
    call(getMailSubscription, { query: { token }, signal }),
  );
  const end = useMutation({ mutationFn: () => call(unsubscribe, { body: { token } }), onSuccess: setAnswer });
  const confirm = useMutation({ mutationFn: () => call(confirmMails, { body: { token } }), onSuccess: setAnswer });
  if (isInvalid(error) || isInvalid(end.error) || isInvalid(confirm.error))
    return <EntryOutcome severity="error">{reportText.invalidLink}</EntryOutcome>;
  if (error !== undefined)
    return (
      <>
        <EntryOutcome severity="error">{failureText(error)}</EntryOutcome>
        <Button variant="contained" onClick={retry}>
          {reportText.retry}
        </Button>
      </>
    );
  if (answer === undefined) return <CircularProgress aria-label={reportText.loading} sx={{ alignSelf: "center" }} />;
  if (answer.purpose === "confirm")
    return (
      <ReportConfirmation
        answer={answer}
        isBusy={confirm.isPending}
        failure={confirm.error}
        onConfirm={() => confirm.mutate()}
      />
    );
  const { email, enabled, about, confirmed, name } = answer;
  const isBusy = end.isPending || confirm.isPending;
  const sentence = !enabled
    ? reportText.ended[about](email)
    : confirm.isSuccess && confirmed
      ? reportText.confirmed(email)
      : null;
  const isAsking = about === "alerts" && enabled && !confirmed;
  return (
    <>
      {end.error === null ? null : (
        <EntryOutcome severity="error">{`${reportText.endFailed}. ${failureText(end.error)}`}</EntryOutcome>
      )}
      {confirm.error === null ? null : (
        <EntryOutcome severity="error">{`${reportText.confirmFailed}. ${failureText(confirm.error)}`}</EntryOutcome>
      )}
      {sentence === null ? (
        <Typography sx={{ overflowWrap: "anywhere" }}>
          {isAsking
            ? reportText.confirms(email, maxUnconfirmedMails)
            : about === "report" && name !== undefined
              ? reportText.endsReport(email, name)
              : reportText.ends[about](email)}
        </Typography>
      ) : (
        <EntryOutcome severity="success">{sentence}</EntryOutcome>
      )}
      {enabled ? null : <Typography>{reportText.again[about]}</Typography>}
      {isAsking || (about === "alerts" && !enabled) ? (
        <Button
          variant={isAsking ? "contained" : "outlined"}
          disabled={isBusy}
          onClick={() => confirm.mutate()}
          sx={{ minHeight: 40 }}
        >
          {isAsking ? reportText.confirm : reportText.confirmAgain}
        </Button>
      ) : null}
      {enabled ? (
        <Button
          variant={isAsking || sentence !== null ? "outlined" : "contained"}
          disabled={isBusy}
          onClick={() => end.mutate()}
          sx={{ minHeight: 40 }}
        >
          {reportText.end}
        </Button>
      ) : null}
    </>
  );
}

type Confirmation = { answer: MailSubscription; isBusy: boolean; failure: Error | null; onConfirm: () => void };

/** A link that only confirms that its holder wants a report. */
function ReportConfirmation({ answer, isBusy, failure, onConfirm }: Confirmation) {
  const { email, name, enabled, confirmed } = answer;
  if (name === undefined) return <EntryOutcome severity="error">{reportText.goneReport}</EntryOutcome>;
  if (confirmed && enabled)
    return <EntryOutcome severity="success">{reportText.confirmedReport(email, name)}</EntryOutcome>;
  return (
    <>
      {failure === null ? null : (
        <EntryOutcome severity="error">{`${reportText.confirmFailed}. ${failureText(failure)}`}</EntryOutcome>
      )}
      <Typography sx={{ overflowWrap: "anywhere" }}>{reportText.confirmsReport(email, name)}</Typography>
      <Button variant="contained" disabled={isBusy} onClick={onConfirm} sx={{ minHeight: 40 }}>
        {reportText.confirm}
      </Button>
    </>
  );
}
