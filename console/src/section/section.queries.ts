// A section of a sensor's configuration, a change of it, a restart; and what is said where it refuses (SE-06, SE-07).
import { errorCode, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { Fault } from "@psp/contract/section/check/check-field.ts";
import { isList, type Section, type Values } from "@psp/contract/section/field.ts";
import { type RestartResult, rpcErrors, type SetResult } from "@psp/contract/section/rpc.ts";
import { isTree } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { askSensor, isOutOfReach, refusalSentence, saidBySensor, SensorRefusal } from "../sensor/sensor.rpc.ts";
import { sectionText as text } from "./section.text.ts";

export const setSection = (id: string, section: string, values: Values, rev: number) =>
  askSensor(id, "config.set", { section, values, rev }) as Promise<SetResult>;
export const restartSensor = (id: string) => askSensor(id, "device.restart", {}) as Promise<RestartResult>;

/** What is wrong with single values, in the words that stand at their fields; none where the refusal names no field. */
export function faultsIn(error: unknown): readonly Fault[] {
  if (error instanceof SensorRefusal)
    return error.code === rpcErrors.invalidParams
      ? error.fields.map(({ path, message }) => ({ path, message: saidBySensor(message) }))
      : [];
  if (!(error instanceof CallError) || error.code !== badArgument) return [];
  const { fields } = error.details;
  return Array.isArray(fields) ? fields.filter(isFault) : [];
}
const badArgument: ServerErrorCode = errorCode.invalidArgument;

const isFault = (fault: unknown): fault is Fault =>
  isTree(fault) && typeof fault["path"] === "string" && typeof fault["message"] === "string";

/** Somebody else, or the sensor's own page, has set the section since it was read. */
export const isChangedMeanwhile = (error: unknown) =>
  error instanceof SensorRefusal && error.code === rpcErrors.otherRevision;

/** The sentence of a device's refusal; undefined where the server itself has answered. */
export function refusalText(error: unknown): string | undefined {
  if (!(error instanceof SensorRefusal)) return undefined;
  return isChangedMeanwhile(error) ? text.changed : refusalSentence(error, text.unknownMethod);
}

/** Why the sensor could not be asked, or what it said. */
export const whyNot = (error: unknown): string => refusalText(error) ?? failureText(error);

/** No noun of the live channel: what is announced of sensors asks no device. */
export const sectionKey = (id: string, key: string) => ["section", id, key];

/** A change that is to be confirmed, and a sensor that does not answer though it is connected, are looked after this often. */
const pollMs = { applying: 2000, away: 5000 };

type Asking = { isApplying: boolean; isConnected: boolean };

/** A section as the sensor has it, or as it was read last. */
export function useSection(id: string, { key }: Section, { isApplying, isConnected }: Asking) {
  const client = useQueryClient();
  const queryKey = sectionKey(id, key);
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const answer = (await askSensor(id, "config.get", { section: key }, signal)) as ServedSection;
      const known = client.getQueryData<ServedSection>(queryKey);
      // What was just saved is newer than what the server has kept of the time before.
      return answer.source === "stored" && known !== undefined && known.rev > answer.rev
        ? { ...known, source: answer.source }
        : answer;
    },
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state }) => {
      if (isApplying) return pollMs.applying;
      const isAway = state.data?.source === "stored" || isOutOfReach(state.error);
      return isConnected && isAway ? pollMs.away : false;
    },
  });
}

/** Keys of the other sections that this one refers to, or whose items look at it. */
function referredIn({ parts }: Section): string[] {
  const keys = parts.flatMap((part) =>
    isList(part)
      ? [
          ...(part.usedBy ?? []).map((use) => use.section),
          ...part.fields.map((field) => (field.kind === "reference" ? field.section : undefined)),
        ]
      : [part.kind === "reference" ? part.section : undefined],
  );
  return [...new Set(keys.filter((key) => key !== undefined))];
}

/** Values of those other sections, by key, as far as they can be had: what is missing is left to the sensor to judge. */
export function useOtherSections(id: string, section: Section): Values {
  const keys = useMemo(() => referredIn(section), [section]);
  return useQueries({
    queries: keys.map((key) => ({
      queryKey: sectionKey(id, key),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        askSensor(id, "config.get", { section: key }, signal) as Promise<ServedSection>,
      staleTime: 0,
      retry: false,
    })),
    combine: (answers) =>
      Object.fromEntries(
        keys.flatMap((key, n) => {
          const values = answers[n]?.data?.values;
          return values === undefined ? [] : [[key, values]];
        }),
      ),
  });
}
