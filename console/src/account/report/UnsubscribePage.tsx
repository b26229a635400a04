// What the unsubscribe link in a weekly report, or in a mail about issues, opens: what it ends, and the one button that ends it. Opening it changes nothing, since programs
// that look at mails open links, too.
import { getReportEnding, unsubscribe } from "@psp/contract/report/report.api.ts";
import { Button, CircularProgress, Typography } from "@mui/material";
import { useMutation } from "@tanstack/react-query";
import { AppLink, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call, CallError } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { loneLink } from "../../theme/targets.ts";
import { EntryScreen, Outcome } from "../../ui/entry/EntryScreen.tsx";
import { useLinked } from "../registration/RegistrationScreen.tsx";
import { reportText } from "./report.text.ts";

const isInvalid = (error: unknown) => error instanceof CallError && error.status === 400;

export function UnsubscribePage() {
  const search = useSearchParams();
  const token = typeof search["token"] === "string" ? search["token"] : "";
  // Links of mails about issues begin so; whether one is ours, and what it ends, the server says.
  const about = token.startsWith("alerts.") ? "alerts" : "weekly-report";
  return (
    <EntryScreen title={reportText.title[about]}>
      <Ending token={token} />
      <AppLink to={paths.root} query="none" sx={loneLink}>
        {reportText.toConsole}
      </AppLink>
    </EntryScreen>
  );
}

function Ending({ token }: { token: string }) {
  const { answer, error, setAnswer, retry } = useLinked(token, (signal) =>
    call(getReportEnding, { query: { token }, signal }),
  );
  const end = useMutation({ mutationFn: () => call(unsubscribe, { body: { token } }), onSuccess: setAnswer });
  if (isInvalid(error) || isInvalid(end.error)) return <Outcome severity="error">{reportText.invalidLink}</Outcome>;
  if (error !== undefined)
    return (
      <>
        <Outcome severity="error">{failureText(error)}</Outcome>
        <Button variant="contained" onClick={retry}>
          {reportText.retry}
        </Button>
      </>
    );
  if (answer === undefined) return <CircularProgress aria-label={reportText.loading} sx={{ alignSelf: "center" }} />;
  const { email, enabled, about } = answer;
  if (!enabled)
    return (
      <>
        <Outcome severity="success">{reportText.ended[about](email)}</Outcome>
        <Typography>{reportText.again[about]}</Typography>
      </>
    );
  return (
    <>
      {end.error === null ? null : (
        <Outcome severity="error">{`${reportText.endFailed}. ${failureText(end.error)}`}</Outcome>
      )}
      <Typography sx={{ overflowWrap: "anywhere" }}>{reportText.ends[about](email)}</Typography>
      <Button variant="contained" disabled={end.isPending} onClick={() => end.mutate()} sx={{ minHeight: 40 }}>
        {reportText.end}
      </Button>
    </>
  );
}
