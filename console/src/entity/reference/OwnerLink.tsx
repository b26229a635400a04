// An owner in a list: name, presence, and "Deleted account".
import type { OwnerRef } from "@psp/contract/account/account.ts";
import { styled } from "@mui/material/styles";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { Name } from "../../ui/table/row/Name.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { useTip } from "../../ui/feedback/Tip.tsx";
import { TipButton } from "../../ui/feedback/TipButton.tsx";

const text = { deleted: "Deleted account", online: "Online", offline: "Offline", lastSeen: "Last seen" } as const;

export function OwnerLink({ owner }: { owner: OwnerRef }) {
  if (owner.isDeleted)
    return (
      <TipButton text={text.deleted} label={`${owner.name} ${text.deleted}`}>
        <StatusDot tone="neutral" label={owner.name} tooltip={null} />
      </TipButton>
    );
  const { status } = owner;
  if (status === undefined) return <Name>{owner.name}</Name>;
  return status.numActiveSessions > 0 ? (
    <Together>
      <StatusDot tone="good" label={owner.name} tooltip={text.online} />
      <Word>{text.online}</Word>
    </Together>
  ) : (
    <Away name={owner.name} lastSeenAt={status.lastSeenAt} />
  );
}

/** Offline is the normal case, so it is only shown in tooltip and screen reader text. */
function Away({ name, lastSeenAt }: { name: string; lastSeenAt: string | null }) {
  const { handlers, tip } = useTip((element) => {
    const since = lastSeenAt === null ? "" : `. ${text.lastSeen} ${formatExactTime(Date.parse(lastSeenAt))}`;
    const whole = element.firstElementChild;
    const start = whole?.firstElementChild?.firstElementChild ?? whole;
    return ((start?.scrollWidth ?? 0) > (start?.clientWidth ?? 0) ? `${name}: ` : "") + text.offline + since;
  });
  return (
    <>
      <Together {...handlers}>
        <Cut>
          <Name>{name}</Name>
        </Cut>
        <span style={visuallyHidden}>{text.offline}</span>
      </Together>
      {tip}
    </>
  );
}

const Together = styled("span")({ display: "flex", minWidth: 0, maxWidth: "100%", position: "relative" });
const Cut = styled("span")({ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" });
const Word = styled("span")(({ theme }) => ({
  flex: "none",
  marginInlineStart: theme.spacing(2),
  color: theme.vars.palette.text.secondary,
  fontWeight: 400,
  fontSize: "0.8125rem",
}));
