// Tab "Access" of an account: its rights on any object that the user can view, with reasons.
import type { AccessType } from "@psp/contract/permission/access.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Stack } from "@mui/material";
import { useState } from "react";
import type { DialogTab } from "../page/DialogTabs.tsx";
import { AccountSelect } from "../reference/AccountSelect.tsx";
import { FirmwareSelect } from "../reference/FirmwareSelect.tsx";
import { LocationSelect } from "../reference/LocationSelect.tsx";
import {
  type NamedRef,
  type ReferenceField,
  ReferenceSelect,
  toReferenceFieldProps,
} from "../reference/ReferenceSelect.tsx";
import { RoleSelect } from "../reference/RoleSelect.tsx";
import { useChoices } from "../reference/useChoices.ts";
import { useCan } from "../../api/session/useCan.ts";
import { AccessResult } from "./AccessResult.tsx";
import { accessText as text } from "./access.text.ts";
import { SelectField } from "../../ui/form/SelectField.tsx";

export const createAccessTab = (account: { _id: string; name: string }): DialogTab => ({
  id: "access",
  label: text.access,
  content: <AccountAccess key={account._id} account={account} />,
});

const types = Object.keys(text.types) as AccessType[];

function AccountAccess({ account }: { account: { _id: string; name: string } }) {
  const can = useCan();
  const offered = types.filter((type) => type === "owner" || can.viewType(type));
  const [type, setType] = useState<AccessType>(offered[0] ?? "owner");
  const [object, setObject] = useState<NamedRef | null>(null);
  const change = (next: AccessType) => {
    setType(next);
    setObject(null);
  };
  return (
    <Stack sx={{ gap: 4 }}>
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "160px minmax(0, 1fr)" } }}>
        <SelectField
          label={text.type}
          value={type}
          onChange={change}
          choices={offered.map((one) => [one, text.types[one]])}
        />
        <ObjectSelect key={type} of={type} label={text.object} {...toReferenceFieldProps(object, setObject)} />
      </Box>
      {object === null ? (
        <Box sx={{ color: "text.secondary" }}>{text.pickObject(account.name)}</Box>
      ) : (
        <AccessResult account={account._id} type={type} id={object.id} />
      )}
    </Stack>
  );
}

function ObjectSelect({ of: type, ...field }: ReferenceField & { of: AccessType }) {
  if (type === "sensor") return <AnySensor {...field} />;
  if (type === "measurement") return <LocationSelect {...field} />;
  if (type === "artifact") return <FirmwareSelect {...field} usableOnly={false} />;
  return type === "role" ? <RoleSelect {...field} /> : <AccountSelect {...field} />;
}

const bySensorId = { sortBy: "_id" };

/** Offers all visible sensors, unlike selects that offer only those the user may change. */
function AnySensor(field: ReferenceField) {
  const choices = useChoices<Sensor>({
    type: "sensor",
    list: listSensors,
    query: bySensorId,
    searchBy: "sensorID",
  });
  return (
    <ReferenceSelect
      {...field}
      type="sensor"
      choices={choices}
      rows={choices.rows}
      toOption={({ _id, type, measurement, owner }) => ({
        id: _id,
        label: _id,
        hint: [type, measurement?.name ?? owner.name].join(" · "),
      })}
    />
  );
}
