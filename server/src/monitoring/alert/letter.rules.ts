// What a mail about states says: one line for each kind of issue at a location, however many sensors have it (decisions 8).
import { localIso, zoneOf } from "../../count/zone.rules.ts";
import { layout, type MailBody } from "../../mail/layout.ts";

export type AlertedIssue = {
  sensorId: string;
  issueType: string;
  issueStatus: string;
  message: string;
  sinceMs: number;
  locationId: string | null;
  locationName: string | null;
  zone: string | null;
  isOver: boolean;
};

const typeNames: Record<string, string> = {
  connection: "Connection",
  plauzibilization: "Data plausibility",
  osd: "OSD",
  uptime: "Uptime",
  reboot: "Reboot",
  watchdog: "Watchdog",
};

/** More sensors are only counted. */
const maxNamed = 1000;

type Line = { text: string; link: string };

/** "2026-11-24 14:03" in the zone of the place. */
function localMinute(zone: string | null, ms: number): string {
  return localIso(zoneOf(zone), ms).slice(0, 16).replace("T", " ");
}

const placeOf = ({ locationName }: AlertedIssue) =>
  locationName === null ? "without a location" : `at ${locationName}`;

function lineOf(group: readonly AlertedIssue[], publicUrl: string): Line {
  const [first] = group;
  if (!first) throw new Error("An empty group of issues");
  const { issueStatus, issueType, locationId, zone } = first;
  const isClear = issueStatus === "Ok";
  const what = `${isClear ? "Resolved" : issueStatus}: ${typeNames[issueType] ?? issueType}`;
  const since = localMinute(zone, (isClear ? Math.max : Math.min)(...group.map(({ sinceMs }) => sinceMs)));
  const zoneWord = zone === null ? " UTC" : "";
  const over = !isClear && group.every(({ isOver }) => isOver) ? " It is over by now." : "";
  const filter = `issueType=${encodeURIComponent(issueType)}&issueStatus=${issueStatus}`;
  const link =
    locationId === null
      ? `${publicUrl}/sensor/${encodeURIComponent(first.sensorId)}/logs`
      : `${publicUrl}/location/${locationId}/issues?${filter}`;
  if (group.length === 1)
    return {
      text: `${what}, sensor ${first.sensorId} ${placeOf(first)}, since ${since}${zoneWord}: ${first.message}.${over}`,
      link,
    };
  const ids = group.map(({ sensorId }) => sensorId).join(", ");
  return {
    text: `${what}, ${group.length} sensors ${placeOf(first)}, since ${since}${zoneWord}: ${ids}.${over}`,
    link,
  };
}

const confirmWords = (left: number) =>
  left === 0
    ? "This is the last one until you confirm that you want them."
    : `Please confirm that you want them: until then you get ${left} more at most.`;

type Letter = {
  issues: readonly AlertedIssue[];
  publicUrl: string;
  unsubscribeUrl: string | null;
  /** To an additional address whose holder has not confirmed it: how many mails it still gets. */
  unconfirmed: { left: number } | null;
};

/** One mail about everything that came up for its recipient. */
export function alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }: Letter): MailBody {
  const named = issues.slice(0, maxNamed);
  const groups = Map.groupBy(named, (one) => `${one.issueStatus}/${one.issueType}/${one.locationId ?? one.sensorId}`);
  const lines = [...groups.values()].map((group) => lineOf(group, publicUrl));
  const worst = (["Error", "Warning"] as const).find((status) => issues.some((one) => one.issueStatus === status));
  const main = worst === undefined ? issues : issues.filter(({ issueStatus }) => issueStatus !== "Ok");
  const places = new Set(main.map(({ locationName, locationId }) => locationName ?? locationId ?? ""));
  const where = places.size === 1 && main[0]?.locationName ? ` at ${main[0].locationName}` : "";
  const sensors = new Set(main.map(({ sensorId }) => sensorId)).size;
  const subject = `${worst ?? "Resolved"}: ${sensors === 1 ? `sensor ${main[0]?.sensorId}` : `${sensors} sensors`}${where}`;
  const rest = issues.length - named.length;
  return layout({
    subject,
    paragraphs: [worst === undefined ? "These issues are resolved:" : "Monitoring found the following:"],
    items: lines,
    ...(rest > 0 ? { afterItems: [`And ${rest} more, in the monitoring logs.`] } : {}),
    action: { label: "Open the console", link: `${publicUrl}/dashboard` },
    note:
      unsubscribeUrl === null
        ? "You get this mail because monitoring mails its owner. It can be switched off in 'Monitoring' of the location or sensor."
        : `You get this mail because your address is among the additional e-mails of the monitoring of a location or sensor.${unconfirmed === null ? "" : ` ${confirmWords(unconfirmed.left)}`}`,
    ...(unsubscribeUrl === null
      ? {}
      : {
          noteAction: { label: unconfirmed === null ? "Unsubscribe" : "Confirm or unsubscribe", link: unsubscribeUrl },
        }),
  });
}
