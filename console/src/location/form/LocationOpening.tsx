// Opening hours in the form of a location: inherited or own ones (docs/rules/opening-hours.md#screens).
import type { Location } from "@psp/contract/location/location.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { CallError } from "../../api/call.ts";
import type { NamedRef } from "../../entity/reference/ReferenceSelect.tsx";
import { InheritedHours, useInheritedHours } from "../../opening/InheritedHours.tsx";
import { checkOpening, fieldOfPath, inFormOrder, refusedField } from "../../opening/opening.rules.ts";
import { openingText } from "../../opening/opening.text.ts";
import { OpeningChoice } from "../../opening/OpeningChoice.tsx";
import { OpeningPreview } from "../../opening/OpeningPreview.tsx";
import { OpeningSummary } from "../../opening/OpeningSummary.tsx";
import { todayIn } from "../../opening/today.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";

type LocationOpeningProps = {
  value: OpeningHours | null;
  onChange: (hours: OpeningHours | null) => void;
  owner: NamedRef | null;
  stored: Location | null;
  refused: unknown;
  submitted: boolean;
  readOnly: boolean;
};

const id = "location-opening";

/** The first input with an error. */
export function openingFieldId(value: OpeningHours | null): string {
  const [path = ""] = Object.keys(checkOpening(value));
  return `${id}-${fieldOfPath(path).replaceAll(".", "-")}`;
}

export function LocationOpening(props: LocationOpeningProps) {
  const { value, onChange, owner, stored, refused, submitted, readOnly } = props;
  const timeZone = stored?.location.timezone ?? null;
  const inheriting =
    stored?.openingHours === null ? { id: stored._id, version: stored.version, ownerId: stored.owner._id } : null;
  const inherited = useInheritedHours(owner?.id ?? null, inheriting);
  const wrong = refused instanceof CallError ? refusedField(refused.details) : null;
  const errors = { ...(wrong === null ? {} : { [wrong.path]: wrong.message }), ...checkOpening(value) };
  const labels = { inherit: openingText.inherit(owner?.name ?? null), own: openingText.own };
  const default_ = owner === null ? null : <InheritedHours {...inherited} timeZone={timeZone} />;
  return (
    <SectionCard title={openingText.title} gap={4}>
      {readOnly ? (
        <>
          <Box sx={{ color: "text.secondary" }}>{value === null ? labels.inherit : labels.own}</Box>
          {value === null ? (
            default_
          ) : (
            <>
              <OpeningSummary hours={value} />
              <OpeningPreview hours={value} today={todayIn(timeZone)} />
            </>
          )}
        </>
      ) : (
        <OpeningChoice
          id={id}
          value={value}
          onChange={onChange}
          labels={labels}
          initial={inFormOrder(inherited.hours ?? null)}
          errors={errors}
          submitted={submitted || wrong !== null}
          timeZone={timeZone}
        >
          {default_}
        </OpeningChoice>
      )}
    </SectionCard>
  );
}
