// The VPN tab: the state of a sensor's VPN as its server reports it (spec 2 §4).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Alert from "@mui/material/Alert";
import { exactWords } from "../../ui/RelativeTime.tsx";
import { StatusDot, type StatusTone } from "../../ui/feedback/StatusDot.tsx";
import { FactsCard } from "./FactsCard.tsx";
import { SensorTabGate } from "./SensorTabGate.tsx";
import { type VpnState, vpnState } from "../sensor.facts.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

const tones: Record<VpnState, StatusTone> = {
  NOT_CONNECTED: "off",
  PENDING: "warning",
  CONNECTED: "good",
  SLEEPING: "neutral",
};

export function SensorVpnTab() {
  return <SensorTabGate tab="vpn">{(sensor) => <Vpn sensor={sensor} />}</SensorTabGate>;
}

function Vpn({ sensor }: { sensor: Sensor }) {
  const { vpn } = sensor;
  const state = vpnState(vpn);
  const told = (name: string) => {
    const value = vpn?.vpnStatus?.[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const since = told("connectedSince");
  const hasServer = vpn !== null && (vpn.vpnServerIDs.length > 0 || vpn.vpnSensorID !== null);
  return (
    <FactsCard
      title={text.vpn}
      text={hasServer ? null : <Alert severity="info">{text.vpnNoServer}</Alert>}
      facts={[
        [text.vpnState, <StatusDot key="state" tone={tones[state]} label={text.vpnStates[state]} />],
        [text.vpnServer, told("serverName") ?? "-"],
        [text.vpnAddress, told("vpnAddress") ?? "-"],
        [text.vpnSince, since === null ? "-" : exactWords(Date.parse(since))],
      ]}
    />
  );
}
