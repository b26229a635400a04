// The card of re-registration: whether others may register the sensor, its code, and the link as a QR code (SE-08, spec 2 §5).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import QrCode2Rounded from "@mui/icons-material/QrCode2Rounded";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormHelperText from "@mui/material/FormHelperText";
import Switch from "@mui/material/Switch";
import { type ReactNode, useState } from "react";
import { loadPiece } from "../../address/loadPiece.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { CopyButton } from "../../ui/CopyButton.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { useTip } from "../../ui/feedback/Tip.tsx";
import { sensorText } from "../sensor.text.ts";
import { sensorPageText } from "../sensor-page.text.ts";

const loadQr = async () => (await loadPiece("RegistrationQr", () => import("./RegistrationQr.tsx"))).RegistrationQr;

type SensorRegistrationProps = {
  sensor: Sensor;
  claimable: boolean;
  onClaimable: (on: boolean) => void;
  readOnly: boolean;
  /** Shown below the switch: what somebody else set meanwhile. */
  fresh: ReactNode;
};

/** Props: `sensor`, `claimable`, `onClaimable`, `readOnly`, `fresh`. */
export function SensorRegistration({ sensor, claimable, onClaimable, readOnly, fresh }: SensorRegistrationProps) {
  const { handlers, tip } = useTip(() => sensorText.mayReRegister, 150);
  const reason = readOnly ? sensorText.readOnlySwitch : sensor.claimingCode === null ? sensorText.noCode : undefined;
  const hint = sensor.claimingCode === null && !readOnly ? sensorText.noCode : sensorText.mayReRegister;
  return (
    <SectionCard title={sensorText.registration}>
      <Box>
        <FormControlLabel
          label={sensorText.reRegistration}
          control={
            <Disabled kind="input" reason={reason}>
              <Switch
                checked={claimable}
                onChange={(_, on) => onClaimable(on)}
                {...(reason === undefined ? handlers : {})}
              />
            </Disabled>
          }
        />
        {tip}
        <FormHelperText>{hint}</FormHelperText>
        {fresh}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2, minHeight: 28 }}>
        <Box component="span" sx={{ fontWeight: 600, mr: 2 }}>
          {sensorText.code}
        </Box>
        <Mono>{sensor.claimingCode ?? "-"}</Mono>
        {sensor.claimingCode === null ? null : <CodeActions id={sensor._id} code={sensor.claimingCode} />}
      </Box>
    </SectionCard>
  );
}

function CodeActions({ id, code }: { id: string; code: string }) {
  const [shown, setShown] = useState(false);
  const onClose = () => setShown(false);
  return (
    <>
      <CopyButton value={code} label={sensorText.copyCode(id)} />
      <Button size="small" variant="outlined" startIcon={<QrCode2Rounded />} onClick={() => setShown(true)}>
        {sensorPageText.showQr}
      </Button>
      {shown ? <LazyDialog load={loadQr} onClose={onClose} show={{ id, code, onClose }} /> : null}
    </>
  );
}
