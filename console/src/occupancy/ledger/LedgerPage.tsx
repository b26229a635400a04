// Ledger of a location, with the display's state at any minute and all entries that changed the count (OC-02).
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Box, Button, Stack, TextField } from "@mui/material";
import { useState } from "react";
import { buildHref } from "../../address/address.ts";
import { loadChunk } from "../../address/loadChunk.ts";
import { AppLink, Redirect, useParam, useSearchParameter, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { failureText } from "../../api/useFailure.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { CountChart } from "../../ui/chart/CountChart.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { appLocationQueries, useMayEditLocation, useStoredApp } from "../occupancy.queries.ts";
import { Entries } from "./Entries.tsx";
import { type Ledger, slotsOf, useLedger } from "./ledger.queries.ts";
import { ledgerText as text } from "./ledger.text.ts";
import { toInstant, toLocalMinute } from "./local-time.ts";
import { StateAtTime } from "./StateAtTime.tsx";

export function LedgerPage() {
  const id = useParam("id");
  const search = useSearchParams();
  const { data: location } = appLocationQueries.useOne(id);
  if (location === undefined) return null;
  return <Ledgers key={id} location={location} elsewhere={buildHref(paths.occupancyApp(id), search, "keep")} />;
}

/** Redirects to `elsewhere`, the path of the app's form, if the location has no app. */
function Ledgers({ location, elsewhere }: { location: Location; elsewhere: string }) {
  const [asked, setAt] = useSearchParameter("at");
  const app = useStoredApp(location);
  // Unparsable times mean now.
  const at = asked !== null && !Number.isNaN(Date.parse(asked)) ? new Date(asked).toISOString() : null;
  const { data, error } = useLedger(location._id, at);
  const zone = zoneOf(location.location.timezone).name;
  if (app === null) return <Redirect to={elsewhere} />;
  return (
    <Stack sx={{ gap: 4, maxWidth: 1200 }}>
      <SectionCard title={text.title}>
        <div>{text.about}</div>
        <Moment key={at ?? data?.shown.at} at={at ?? data?.shown.at} zone={zone} isNow={at === null} onChange={setAt} />
        {data === undefined ? null : <StateAtTime shown={data.shown} zone={zone} />}
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 4 }}>
          <Correcting location={location} isOn={app.enabled} onDone={() => setAt(null)} />
          <AppLink to={paths.occupancyApp(location._id)} query="dropList" sx={standaloneLinkStyles}>
            {text.toApp}
          </AppLink>
        </Box>
      </SectionCard>
      {data === undefined ? (
        error === null ? (
          <CardSkeleton lines={8} />
        ) : (
          <Alert severity="error">{failureText(error)}</Alert>
        )
      ) : (
        <>
          <Curve ledger={data} zone={zone} />
          <Entries key={data.since} ledger={data} zone={zone} />
        </>
      )}
    </Stack>
  );
}

const series = [
  { name: text.count },
  { name: text.limit },
  { name: text.atLeast, quiet: true },
  { name: text.atMost, quiet: true },
];

function Curve({ ledger, zone }: { ledger: Ledger; zone: string }) {
  return (
    <SectionCard title={text.curve}>
      <CountChart
        label={text.curveOf(formatExactTime(Date.parse(ledger.since), zone))}
        series={series}
        slots={slotsOf(ledger, zone)}
        slotName={text.time}
        height={240}
      />
    </SectionCard>
  );
}

type MomentProps = {
  at: string | undefined;
  zone: string;
  isNow: boolean;
  /** Null means now. */
  onChange: (at: string | null) => void;
};

/** Inputs for a day and a minute in the location's time zone. */
function Moment({ at, zone, isNow, onChange }: MomentProps) {
  const [values, setValues] = useState(() =>
    at === undefined ? { date: "", time: "" } : toLocalMinute(Date.parse(at), zone),
  );
  const [isLeft, setLeft] = useState(false);
  const instant = toInstant(values.date, values.time, zone);
  const isWrong = Number.isNaN(instant);
  const go = () => {
    setLeft(true);
    if (!isWrong && (at === undefined || instant !== Math.floor(Date.parse(at) / 60_000) * 60_000))
      onChange(new Date(instant).toISOString());
  };
  const field = (name: "date" | "time", label: string) => (
    <TextField
      type={name}
      label={label}
      value={values[name]}
      onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
      onBlur={go}
      error={isLeft && isWrong}
      helperText={isLeft && isWrong && name === "date" ? text.badTime : undefined}
      sx={{ width: 170 }}
    />
  );
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
      sx={{ display: "flex", flexWrap: "wrap", alignItems: "flex-end", gap: 3 }}
    >
      {field("date", text.date)}
      {field("time", text.time)}
      {/* Makes Enter submit the form. */}
      <button type="submit" hidden />
      <Button variant="outlined" color="inherit" aria-pressed={isNow} onClick={() => onChange(null)}>
        {text.now}
      </Button>
      <Box sx={{ color: "text.secondary", flexBasis: "100%" }}>{text.zone(zone)}</Box>
    </Box>
  );
}

const loadCorrect = async () => (await loadChunk("CorrectDialog", () => import("./CorrectDialog.tsx"))).CorrectDialog;

function Correcting({ location, isOn, onDone }: { location: Location; isOn: boolean; onDone: () => void }) {
  const { ready, mayEdit } = useMayEditLocation(location);
  const [isOpen, setOpen] = useState(false);
  const onClose = () => setOpen(false);
  const reason = ready && !mayEdit ? text.noCorrect : isOn ? undefined : text.mustEnable;
  return (
    <>
      <Disabled reason={reason}>
        <Button variant="outlined" color="inherit" onClick={() => setOpen(true)}>
          {text.correct}
        </Button>
      </Disabled>
      {isOpen ? <LazyDialog load={loadCorrect} onClose={onClose} show={{ location, onClose, onDone }} /> : null}
    </>
  );
}
