// Link next to a select that opens the selected object.
import { canView } from "@psp/contract/permission/can.ts";
import ArrowOutwardRounded from "~icons/ic/round-arrow-outward";
import { Box, IconButton } from "@mui/material";
import type { ReactNode } from "react";
import { useLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { Tip } from "../../ui/feedback/Tip.tsx";
import type { NamedType } from "./useNames.ts";

const places = {
  account: { noun: "owner", path: paths.account },
  measurement: { noun: "location", path: paths.locationGeneral },
  role: { noun: "role", path: paths.role },
  artifact: { noun: "firmware", path: paths.firmwareItem },
} as const;
type OpenedType = keyof typeof places;

const isOpened = (type: NamedType): type is OpenedType => Object.hasOwn(places, type);

type BesideProps = { type: NamedType; id: string | null; children: ReactNode };

/** Adds the link only if an object is selected and the user may view it. */
export function SelectWithOpenLink({ type, id, children }: BesideProps) {
  const mayOpen = useMayOpen(type, id);
  return (
    <Box sx={{ display: "flex", alignItems: "flex-start", gap: 1 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>{children}</Box>
      {mayOpen && id !== null && isOpened(type) ? <OpenLink type={type} id={id} /> : null}
    </Box>
  );
}

/** Owners are named even to users who can't view them, so the right is checked. Other objects are not. */
function useMayOpen(type: NamedType, id: string | null): boolean {
  const can = useCan();
  const isAccount = type === "account";
  const { ownerOf, ready } = useOwners(isAccount && id !== null && id !== "" ? [id] : []);
  if (id === null || id === "" || type === "sensor") return false;
  return isAccount ? ready && canView(can.actor, "owner", ownerOf(id)) : can.viewType(type);
}

function OpenLink({ type, id }: { type: OpenedType; id: string }) {
  const { noun, path } = places[type];
  const label = `Open ${noun}`;
  const link = useLink(path(id), "dropList");
  return (
    <Tip text={label}>
      <IconButton
        component="a"
        aria-label={label}
        {...link}
        // Aligned with the field, below its label.
        sx={{ flex: "none", mt: "25px" }}
      >
        <ArrowOutwardRounded fontSize="small" />
      </IconButton>
    </Tip>
  );
}
