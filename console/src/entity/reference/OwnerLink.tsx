// An owner in a list: online or not, the name, and "Deleted account" where it is gone (spec 3 §2).
import type { OwnerRef } from "@psp/contract/account/account.ts";
import { Box } from "@mui/material";
import { exactWords } from "../../ui/RelativeTime.tsx";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";

const text = { deleted: "Deleted account", online: "Online", offline: "Offline", lastSeen: "Last seen" } as const;

export function OwnerLink({ owner }: { owner: OwnerRef }) {
  if (owner.isDeleted) return <StatusDot tone="neutral" label={owner.name} tooltip={text.deleted} />;
  const { status } = owner;
  if (status === undefined) return <>{owner.name}</>;
  const online = status.numActiveSessions > 0;
  const since = status.lastSeenAt === null ? "" : `. ${text.lastSeen} ${exactWords(Date.parse(status.lastSeenAt))}`;
  return (
    <Box component="span" sx={{ display: "flex", minWidth: 0 }}>
      <StatusDot
        tone={online ? "good" : "off"}
        label={owner.name}
        tooltip={online ? text.online : text.offline + since}
      />
      <span style={visuallyHidden}>{online ? text.online : text.offline}</span>
    </Box>
  );
}
