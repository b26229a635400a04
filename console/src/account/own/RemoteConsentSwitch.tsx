// Switch that makes parent accounts ask for consent before they open device pages of this account (ADR 0025).
import { getRemoteConsent, setRemoteConsent } from "@psp/contract/remote-access/remote-access.api.ts";
import { Alert, FormHelperText, Skeleton } from "@mui/material";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { failureText, useAttempt } from "../../api/useFailure.ts";
import { useUser } from "../../api/session/session.tsx";
import { toOwner, useCan } from "../../api/session/useCan.ts";
import { remoteConsentText as text } from "../account.text.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

const queryKey = ["remote consent"];
const hintId = "remote-consent-hint";

export function RemoteConsentSwitch() {
  const can = useCan();
  const user = useUser();
  const client = useQueryClient();
  const attempt = useAttempt();
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => call(getRemoteConsent, { signal }) });
  const save = useMutation({
    mutationFn: (required: boolean) => call(setRemoteConsent, { body: { required } }),
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
  if (error !== null) return <Alert severity="error">{`${text.loadFailed}. ${failureText(error)}`}</Alert>;
  if (data === undefined) return <Skeleton variant="rounded" height={72} />;
  const owner = toOwner(user);
  const cantAnswer = data.required || can.edit("sensor", owner) ? undefined : text.cantAnswer;
  const reason = can.editAccount(owner) ? (save.isPending ? text.saving : cantAnswer) : text.noEdit;
  return (
    <div>
      <SwitchField
        label={text.switch}
        reason={reason}
        saving={save.isPending ? text.saving : null}
        checked={save.isPending ? save.variables : data.required}
        onChange={(required) => void attempt(text.saveFailed, () => save.mutateAsync(required))}
        describedBy={hintId}
        sx={{ ml: -1 }}
      />
      <FormHelperText id={hintId}>{text.hint}</FormHelperText>
    </div>
  );
}
