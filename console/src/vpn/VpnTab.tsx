// VPN tab of a sensor, which requests a connection, shows its progress, and opens the device page (VP-01).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { type VpnState, vpnLinkOf, vpnStateOf } from "@psp/contract/vpn/vpn-state.ts";
import { Alert, Box, Button, LinearProgress, Typography } from "@mui/material";
import { type ReactNode, type Ref, useRef } from "react";
import { failureText } from "../api/useFailure.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { type Facts, FactList } from "../ui/FactList.tsx";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { Mono } from "../ui/Mono.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { Tab } from "../sensor/page/Tab.tsx";
import { type Reachability, useReachability } from "../sensor/useReachability.ts";
import { countdownSeconds, useOpening } from "./useOpening.ts";
import { useVpnRequest } from "./useVpnRequest.ts";
import { vpnText as text } from "./vpn.text.ts";

/** Needs current data, so a row from a list isn't enough. */
export const SensorVpnTab = () => (
  <Tab tab="vpn">
    {(sensor, complete) => (complete ? <VpnCard key={sensor._id} sensor={sensor} /> : <CardSkeleton lines={6} />)}
  </Tab>
);

const tones: Record<VpnState, StatusTone> = {
  ERROR: "bad",
  NOT_CONNECTED: "off",
  PENDING: "pending",
  CONNECTED: "good",
  SLEEPING: "neutral",
};

export function VpnCard({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const mayEdit = ready && can.edit("sensor", ownerOf(sensor.owner._id));
  const request = useVpnRequest(sensor, mayEdit);
  const { _id: id, vpn } = sensor;
  const state = vpnStateOf(vpn, request.error !== null);
  const reach = useReachability(sensor.scomState);
  const isConnected = state === "CONNECTED";
  const link = isConnected ? vpnLinkOf(vpn, window.location.protocol === "https:" ? "https:" : "http:") : null;
  const said = useRef<HTMLParagraphElement>(null);
  const anchor = useRef<HTMLAnchorElement>(null);
  const decline = useRef<HTMLButtonElement>(null);
  const opening = useOpening(link, `${id} ${vpn?.vpnStatus?.connectedSince ?? ""}`, () => {
    // The button with the focus disappears together with the countdown.
    if (document.activeElement === decline.current) anchor.current?.focus();
  });
  const onAsk = () => {
    // The button disappears at once, so the focus is moved first.
    said.current?.focus();
    request.ask();
  };
  return (
    <SectionCard
      title={text.title}
      sx={{ maxWidth: 640 }}
      head={
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 4, rowGap: 2 }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {text.title}
          </Typography>
          <LiveValue>
            <StatusDot tone={tones[state]} label={text.words[state]} />
          </LiveValue>
        </Box>
      }
    >
      {vpn === null || vpn.vpnServerIDs.length > 0 ? null : <Alert severity="info">{text.noServer}</Alert>}
      <Typography ref={said} tabIndex={-1} role="status" sx={{ outlineOffset: 4 }}>
        {isConnected ? (
          <Connected opening={opening} />
        ) : (
          wordsOf(sensor, reach, state, request.isPending, mayEdit || !ready)
        )}
      </Typography>
      {request.isPending || state === "PENDING" ? <LinearProgress aria-label={text.progress} /> : null}
      {isConnected ? (
        <ConfigurationPage link={link} opening={opening} anchor={anchor} decline={decline} />
      ) : (
        <Ask state={state} mayEdit={mayEdit} request={request} onAsk={onAsk} />
      )}
      <FactList facts={factsOf(sensor)} />
    </SectionCard>
  );
}

type Opening = ReturnType<typeof useOpening>;

/** Screen readers announce the countdown once, not every second. */
function Connected({ opening: { left, outcome } }: { opening: Opening }) {
  return (
    <>
      {text.connected}
      {left === null ? null : <span style={visuallyHidden}> {text.opensSoon(countdownSeconds)}</span>}
      {outcome === "opened" ? ` ${text.opened}` : null}
    </>
  );
}

function wordsOf({ vpn }: Sensor, reach: Reachability, state: VpnState, isAsking: boolean, mayEdit: boolean): string {
  if (isAsking) return text.asking;
  if (state === "PENDING") return vpn?.connect === true ? text.connecting[reach] : text.leaving;
  if (state === "ERROR") return text.words.ERROR;
  const sentence = state === "SLEEPING" ? text.sleeping : text.notAsked;
  return mayEdit ? sentence : `${sentence} ${text.noEdit}`;
}

type AskProps = {
  state: VpnState;
  mayEdit: boolean;
  request: ReturnType<typeof useVpnRequest>;
  onAsk: () => void;
};

function Ask({ state, mayEdit, request: { isPending, error }, onAsk }: AskProps) {
  if (!mayEdit || isPending || state === "PENDING") return null;
  if (error === null)
    return (
      <Button variant="outlined" onClick={onAsk} sx={{ alignSelf: "flex-start" }}>
        {text.connect}
      </Button>
    );
  return (
    <Alert
      severity="error"
      action={
        <Button color="inherit" size="small" onClick={onAsk}>
          {text.tryAgain}
        </Button>
      }
    >
      <div>{text.requestFailed}</div>
      <div>{failureText(error)}</div>
    </Alert>
  );
}

type PageProps = {
  link: string | null;
  opening: Opening;
  anchor: Ref<HTMLAnchorElement>;
  decline: Ref<HTMLButtonElement>;
};

/** Link to the device page. The page opens automatically unless the user cancels that. */
function ConfigurationPage({ link, opening: { left, outcome, cancel }, anchor, decline }: PageProps) {
  if (link === null) return <Alert severity="error">{text.noLink}</Alert>;
  return (
    <>
      {outcome === "blocked" ? <Alert severity="warning">{text.blocked}</Alert> : null}
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 4 }}>
        <Button
          ref={anchor}
          component="a"
          href={link}
          target="_blank"
          rel="noopener noreferrer"
          variant="contained"
          onClick={() => left !== null && cancel()}
        >
          {text.open}
        </Button>
        {left === null ? null : (
          <>
            <Box component="span" role="timer" aria-live="off" sx={{ fontVariantNumeric: "tabular-nums" }}>
              {text.opensIn(left)}
            </Box>
            <Button ref={decline} color="inherit" onClick={cancel}>
              {text.cancel}
            </Button>
          </>
        )}
      </Box>
    </>
  );
}

function factsOf({ vpn, measurement }: Sensor): Facts {
  const status = vpn?.vpnStatus ?? null;
  const zone = measurement?.location.timezone ?? undefined;
  const at = (iso: string | null | undefined): ReactNode => (iso ? formatExactTime(Date.parse(iso), zone) : "-");
  const address = (value: string | null | undefined) => (value ? <Mono>{value}</Mono> : "-");
  const last: Facts[number] =
    status?.connected === false && status.disconnectedSince !== null
      ? [text.until, at(status.disconnectedSince)]
      : [text.since, at(status?.connected === true ? status.connectedSince : null)];
  return [
    [text.server, status?.serverName ?? "-"],
    [text.address, address(status?.vpnAddress)],
    [text.publicAddress, address(status?.publicAddress)],
    last,
  ];
}
