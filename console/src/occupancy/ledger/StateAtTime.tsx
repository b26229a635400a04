// State of the display at a chosen minute, with the count, its bounds, and the reason for the state.
import { FactList } from "../../ui/FactList.tsx";
import { StatusDot, type StatusTone } from "../../ui/feedback/StatusDot.tsx";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import type { Ledger } from "./ledger.queries.ts";
import { ledgerText as text } from "./ledger.text.ts";
import { formatNumber } from "../../ui/text/numbers.ts";

const tones: Record<Ledger["shown"]["state"], StatusTone> = { opened: "good", closed: "bad", unknown: "neutral" };

export function StateAtTime({ shown, zone }: { shown: Ledger["shown"]; zone: string }) {
  const { at, state, count, maxObjects, low, high, reason } = shown;
  return (
    <FactList
      facts={[
        [text.at, formatExactTime(Date.parse(at), zone)],
        [text.state, <StatusDot key="state" tone={tones[state]} label={text.states[state]} />],
        [text.count, formatNumber(count)],
        [text.max, formatNumber(maxObjects)],
        [
          text.band,
          <abbr key="band" title={text.bandHint} style={{ textDecoration: "none" }}>
            {text.bandOf(formatNumber(low), formatNumber(high))}
          </abbr>,
        ],
        [text.reason, reason],
      ]}
    />
  );
}
