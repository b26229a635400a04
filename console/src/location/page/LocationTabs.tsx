// What a location's pages of monitoring, logs and applications show of today's state. Each is seen while its conditions hold,
// and leads to General otherwise (spec 3 §2).
import { listLocationDatapoints } from "@psp/contract/datapoint/datapoint.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Box, Stack, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { addressOf } from "../../address/address.ts";
import { Redirect, useParam, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { pageOf } from "../../api/listed.ts";
import { failureText } from "../../api/useFailure.ts";
import { HistoryCard } from "../../history/History.tsx";
import { type Facts, FactList } from "../../ui/FactList.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { StatusDot, type StatusTone } from "../../ui/feedback/StatusDot.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { exactWords } from "../../ui/time/RelativeTime.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { location as entity } from "../location.entity.ts";
import { locationPageText as text } from "../location.page.text.ts";
import { locationText } from "../location.text.ts";
import { type Issue, issueOf } from "./issues.ts";
import { type LocationTab, locationTabs, useMonitored, useSensorCount } from "./location.tabs.ts";

const widths: Partial<Record<LocationTab["key"], number>> = { issues: 1200, history: 860 };

function Tab({ tab, children }: { tab: LocationTab["key"]; children: (location: Location) => ReactNode }) {
  const id = useParam("id");
  const search = useSearchParams();
  const { data: location } = entity.useOne(id);
  const isMonitored = useMonitored(id);
  if (location === undefined) return null;
  if (tab === "monitoring" && isMonitored === undefined) return <CardSkeleton lines={3} />;
  const isOpen = locationTabs(location, isMonitored === true).some(
    ({ key, reason }) => key === tab && reason === undefined,
  );
  if (!isOpen) return <Redirect to={addressOf(paths.locationGeneral(id), search, "keep")} />;
  return <Box sx={{ maxWidth: widths[tab] ?? 640 }}>{children(location)}</Box>;
}

/** Who changed what. */
export const LocationHistoryTab = () => (
  <Tab tab="history">{(location) => <HistoryCard type="measurement" row={location} />}</Tab>
);

/** Whether the location's sensors are monitored, and by which thresholds. */
export const LocationMonitoringTab = () => (
  <Tab tab="monitoring">
    {({ monitoringConfig }) => (
      <SectionCard title={locationText.monitoring}>
        <div>{isRecord(monitoringConfig) ? text.monitoringOwn : text.monitoringNone}</div>
        <FactList facts={monitoringFacts(monitoringConfig)} />
      </SectionCard>
    )}
  </Tab>
);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function monitoringFacts(config: unknown): Facts {
  if (!isRecord(config)) return [[text.monitoringState, text.off]];
  const services = Object.entries(text.services).map(([key, label]) => [label, serviceWords(config[key])] as const);
  return [[text.monitoringState, text.on], ...services];
}

function serviceWords(service: unknown): string {
  if (!isRecord(service) || service["enabled"] !== true) return text.off;
  const { warningThreshold, errorThreshold } = service;
  if (typeof warningThreshold !== "number" || typeof errorThreshold !== "number") return text.on;
  return text.thresholds(warningThreshold, errorThreshold);
}

/** The issues of the location's sensors, the latest first. */
export const LocationIssuesTab = () => <Tab tab="issues">{(location) => <Issues location={location} />}</Tab>;

const shown = 100;
const tones: Record<Issue["status"], StatusTone> = { Ok: "good", Warning: "warning", Error: "bad" };

function Issues({ location: { _id: id, location } }: { location: Location }) {
  const { data, error } = useQuery({
    queryKey: ["datapoint", "issues", id],
    queryFn: async ({ signal }) => {
      const query = {
        type: "monitoringStatus",
        sortBy: "-startUTC",
        limit: String(shown),
        includeTotals: "true",
      } as const;
      return pageOf(await call(listLocationDatapoints, { params: { id }, query, signal }));
    },
  });
  if (error !== null && data === undefined) return <Alert severity="error">{failureText(error)}</Alert>;
  if (data === undefined) return <CardSkeleton lines={8} />;
  const issues = data.objects.map(issueOf);
  return (
    <SectionCard title={text.logs}>
      <div>{issues.length === 0 ? text.noEntries : text.latest(issues.length, data.total)}</div>
      <Box tabIndex={0} role="region" aria-label={text.logs} sx={{ overflowX: "auto" }}>
        <Table size="small" aria-label={text.logs}>
          <TableHead>
            <TableRow>
              {[text.created, text.issueType, text.message, text.sensor, text.acknowledged, text.status].map((name) => (
                <TableCell key={name}>{name}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {issues.map((issue) => (
              <TableRow key={issue.id}>
                <TableCell sx={{ whiteSpace: "nowrap" }}>
                  {exactWords(Date.parse(issue.at), location.timezone ?? undefined)}
                </TableCell>
                <TableCell>{issue.type}</TableCell>
                <TableCell sx={{ minWidth: 200 }}>{issue.message}</TableCell>
                <TableCell>{issue.sensor === null ? "-" : <Mono>{issue.sensor}</Mono>}</TableCell>
                <TableCell>{issue.acknowledgedAt === null ? text.notAcknowledged : text.acknowledged}</TableCell>
                <TableCell>
                  <StatusDot tone={tones[issue.status]} label={text.statuses[issue.status]} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Box>
    </SectionCard>
  );
}

/** The applications that count who is inside, and what the location lacks for them. */
export const LocationAppsTab = () => <Tab tab="apps">{(location) => <Occupancy location={location} />}</Tab>;

const occupancyTypes = ["ps-occupancy-app", "occupancy_meas"];

function Occupancy({ location: { licenses, location, applications, _id: id } }: { location: Location }) {
  const aps = useSensorCount(id, { sensorType: "APS" });
  const app = applications.find((one) => isRecord(one) && occupancyTypes.includes(String(one["type"])));
  const isEnabled = isRecord(app) && app["enabled"] === true;
  const isLicensed = licenses.occupancyMeasurement || licenses.buildings;
  const onOff = (on: boolean) => (on ? text.on : text.off);
  return (
    <SectionCard title={text.occupancy}>
      <div>{text.occupancyText}</div>
      <FactList
        facts={[
          [text.occupancyState, isEnabled ? text.enabled : text.notEnabled],
          [text.occupancyLicense, onOff(licenses.occupancyMeasurement)],
          [text.buildingsLicense, onOff(licenses.buildings)],
          [text.apsSensors, aps === undefined ? "…" : String(aps)],
          [text.addressGiven, location.address === null ? text.missing : text.given],
        ]}
      />
      <Stack sx={{ gap: 2 }}>
        {isLicensed ? null : (
          <Alert severity="info">
            {text.noLicense}. {text.contactSales}
          </Alert>
        )}
        {aps === 0 ? <Alert severity="info">{text.needsSensor}</Alert> : null}
        {location.address === null ? <Alert severity="info">{text.needsAddress}</Alert> : null}
      </Stack>
    </SectionCard>
  );
}
