// The place of a sensor's own configuration page: why it can't be opened, or how it stands with PS.Connect (spec 2 §8).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Alert from "@mui/material/Alert";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { exactWords } from "../../ui/RelativeTime.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { FactList } from "../../ui/FactList.tsx";
import { sensorPageText as text } from "../sensor-page.text.ts";

function stateSentence(psconnect: Sensor["psconnect"]): string | undefined {
  if (psconnect === null) return text.psconnectMissing;
  return psconnect.connectionStatus === "connected" ? undefined : text.psconnectDisconnected;
}

/** Props: `sensor`. */
export function ConfigurationPage({ sensor }: { sensor: Sensor }) {
  const { psconnect } = sensor;
  const sentence = stateSentence(psconnect);
  const since = psconnect?.statusChangedAt ?? null;
  return (
    <SectionCard title={text.configurationPage}>
      {sentence === undefined ? (
        <StatusDot tone="good" label={text.psconnectConnected} />
      ) : (
        <Alert severity="info">{sentence}</Alert>
      )}
      {since === null ? null : <FactList facts={[[text.psconnectSince, exactWords(Date.parse(since))]]} />}
    </SectionCard>
  );
}
