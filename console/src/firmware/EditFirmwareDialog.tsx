// Dialogs to edit, download and delete a firmware.
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import DownloadRounded from "~icons/ic/round-download";
import { Box, Button, TextField } from "@mui/material";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import { toNameAndOwnerChange, type OwnedFieldsProps, toOwnerRef } from "../entity/name-and-owner.tsx";
import { createHistoryTab } from "../audit/History.tsx";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { CountLinks, type RelatedCount } from "../entity/CountLinks.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { CopyField } from "../ui/form/CopyField.tsx";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { type FirmwareBasics, FirmwareFields, firmwareErrors } from "./FirmwareFields.tsx";
import { downloadPackage, firmware } from "./firmware.entity.ts";
import { firmwareText, formatFileSize } from "./firmware.text.ts";

const form = {
  toFields: (row: Firmware): FirmwareBasics => ({
    name: row.name,
    owner: toOwnerRef(row),
    visible: row.objPerm.childrenCanViewObject,
  }),
  toChange: (values: FirmwareBasics, changed: readonly string[]) => ({
    ...toNameAndOwnerChange(values, changed),
    ...(changed.includes("visible") ? { objPerm: { childrenCanViewObject: values.visible } } : {}),
  }),
  // Versions that predate today's rules are valid until renamed.
  errorsOf: (values: FirmwareBasics, changed: readonly string[] = ["name"]) =>
    changed.includes("name") ? firmwareErrors(values) : { ...firmwareErrors(values), name: undefined },
  Fields: EditFields,
};

/** Sensors that run this firmware, and sensors assigned to it by installation state. */
function sensorsOf(id: string): RelatedCount[] {
  const running: RelatedCount = { type: "sensor", filter: { artifactRunningID: id } };
  const among = (installation: InstallationState): RelatedCount => ({
    type: "sensor",
    filter: { artifactID: id, installation },
    words: { one: installation, many: installation },
  });
  return [running, among("waiting"), among("paused"), among("installing"), among("failed")];
}

function EditFields(props: OwnedFieldsProps<Firmware, FirmwareBasics>) {
  const { row, readOnly } = props;
  const can = useCan();
  const { ownerOf } = useOwners([row.owner._id]);
  const mayFetch = !readOnly || can.useFirmware({ owner: ownerOf(row.owner._id), objPerm: row.objPerm });
  return (
    <>
      <CountLinks label={firmwareText.usedBy} related={sensorsOf(row._id)} />
      <PackageFacts row={row} mayFetch={mayFetch} />
      <FirmwareFields {...props} />
    </>
  );
}

export const EditFirmwareDialog = () => (
  <EditOwned
    entity={firmware}
    form={form}
    text={firmwareText}
    noun="firmware"
    cancelLabel="Cancel"
    tabs={({ _id }, mayEdit) => [createHistoryTab("artifact", _id, mayEdit)]}
  />
);

export const DeleteFirmwareDialog = () => <DeleteOwned entity={firmware} />;

function PackageFacts({ row, mayFetch }: { row: Firmware; mayFetch: boolean }) {
  const { file, md5, type } = row;
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", gap: 3, color: "text.secondary" }}>
        {file === null ? (
          firmwareText.noFile
        ) : (
          <>
            <Disabled reason={mayFetch ? undefined : firmwareText.noDownload}>
              <Button
                variant="outlined"
                color="inherit"
                startIcon={<DownloadRounded />}
                onClick={() => downloadPackage(row)}
              >
                {firmwareText.downloadIt}
              </Button>
            </Disabled>
            {formatFileSize(file.size)}
          </>
        )}
        <AppLink to={paths.firmwareRollout(row._id)} query="none" sx={{ ...standaloneLinkStyles, ml: "auto" }}>
          {firmwareText.openRollout}
        </AppLink>
      </Box>
      <TextField label={firmwareText.type} value={type} slotProps={{ input: { readOnly: true } }} />
      {md5 === null ? null : <CopyField label={firmwareText.md5} value={md5} copyLabel={`Copy ${firmwareText.md5}`} />}
      {file === null ? null : (
        <CopyField label={firmwareText.sha256} value={file.sha256} copyLabel={`Copy ${firmwareText.sha256}`} />
      )}
    </>
  );
}
