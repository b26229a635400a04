// Checks, makes and undoes a replacement.
import { checkReplacement, replaceSensor, undoReplacement } from "@psp/contract/replacement/replacement.api.ts";
import type { Lost, ReplacementCheck, ReplacementPlan } from "@psp/contract/replacement/replacement.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQueryClient } from "@tanstack/react-query";
import { call, CallError } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { replaceText as text } from "./replace.text.ts";

/** The new sensor, and what replacing does. */
export type Candidate = { chosen: ReplacementCheck; plan: ReplacementPlan };

export async function checkCandidate(old: Sensor, chosen: ReplacementCheck): Promise<Candidate> {
  return { chosen, plan: await call(checkReplacement, { params: { id: old._id }, body: chosen }) };
}

/** The losses of a refused replacement that were not accepted, if another change has added some. */
export function findNewLosses(error: unknown): Lost[] | null {
  if (!(error instanceof CallError) || error.status !== 409) return null;
  const { lost } = error.details;
  return Array.isArray(lost) ? (lost as Lost[]) : null;
}

/** Replaces the sensor and offers to undo that. Rejects if it is refused. */
export function useReplace(old: Sensor): (candidate: Candidate) => Promise<void> {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  const refresh = () => {
    for (const type of ["sensor", "measurement", "datapoint"]) void client.invalidateQueries({ queryKey: [type] });
  };
  const undo = async (replacement: string, { chosen }: Candidate, newId: string) => {
    try {
      await call(undoReplacement, { params: { id: old._id }, body: { replacement } });
      const more = chosen.claimingCode === undefined ? {} : { text: text.stays(newId) };
      toasts.success(text.undone, undefined, undefined, more);
    } catch (error) {
      fail(text.undoFailed)(error);
    }
    refresh();
  };
  return async (candidate) => {
    const accept = candidate.plan.lost.map(({ key }) => key);
    const body = { ...candidate.chosen, accept };
    const { replacement, sensorID } = await call(replaceSensor, { params: { id: old._id }, body });
    refresh();
    toasts.success(
      text.done(old._id),
      { label: text.undo, onClick: () => void undo(replacement, candidate, sensorID) },
      undefined,
      { text: text.doneText(sensorID), object: { type: "sensor", id: sensorID, name: sensorID } },
    );
  };
}
