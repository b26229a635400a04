// Sets a sensor's network back, after the person has typed which one: it may be gone afterwards (SE-11).
import { networkResetResultSchema } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { resultOf } from "./remote.facts.ts";
import { RemoteSection } from "./RemoteSection.tsx";
import { remoteText } from "../sensor-page.text.ts";
import type { Ask } from "./useAsk.ts";

/** Props: `sensor`, `line` to it, `reason` why it can't be asked. */
export function NetworkReset({ sensor, line, reason }: { sensor: Sensor; line: Ask; reason: string | undefined }) {
  const fail = useFailure();
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const failed = fail(remoteText.requestFailed);
  const reset = async () => {
    setOpen(false);
    try {
      const answer = await line.ask("resetNetworkConfig", { confirm: sensor._id });
      if (answer === null) return;
      const result = resultOf(networkResetResultSchema, answer);
      if (result === null) failed(new Error(remoteText.notAResult));
      else toasts.success(remoteText.resetDone(sensor._id, result.willApplyInS));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <>
      <RemoteSection
        title={remoteText.reset}
        hint={remoteText.resetHint}
        action={remoteText.startReset}
        reason={reason}
        asking={line.asking === "resetNetworkConfig"}
        onAsk={() => setOpen(true)}
        danger
      />
      <ConfirmDialog
        open={open}
        title={remoteText.resetTitle}
        confirmLabel={remoteText.resetConfirm}
        typeToConfirm={sensor._id}
        onConfirm={reset}
        onClose={() => setOpen(false)}
      >
        {remoteText.resetQuestion(sensor._id)}
      </ConfirmDialog>
    </>
  );
}
