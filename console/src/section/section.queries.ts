// Queries and RPC requests for settings sections, and messages for their refusals (SE-06, SE-07).
import { errorCode, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { FieldError } from "@psp/contract/section/check/check-field.ts";
import { isList, type Section, type Values } from "@psp/contract/section/field.ts";
import { type RestartResult, rpcErrors, type SetResult } from "@psp/contract/section/rpc.ts";
import { isPlainObject } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import {
  callSensor,
  isSensorUnreachable,
  refusalMessage,
  quoteSensorMessage,
  SensorRefusedError,
} from "../sensor/sensor.rpc.ts";
import { sectionText as text } from "./section.text.ts";

export const setSection = (id: string, section: string, values: Values, rev: number) =>
  callSensor(id, "config.set", { section, values, rev }) as Promise<SetResult>;
export const restartSensor = (id: string) => callSensor(id, "device.restart", {}) as Promise<RestartResult>;

export function fieldErrorsIn(error: unknown): readonly FieldError[] {
  if (error instanceof SensorRefusedError)
    return error.code === rpcErrors.invalidParams
      ? error.fields.map(({ path, message }) => ({ path, message: quoteSensorMessage(message) }))
      : [];
  if (!(error instanceof CallError) || error.code !== badArgument) return [];
  const { fields } = error.details;
  return Array.isArray(fields) ? fields.filter(isFault) : [];
}
const badArgument: ServerErrorCode = errorCode.invalidArgument;

const isFault = (fault: unknown): fault is FieldError =>
  isPlainObject(fault) && typeof fault["path"] === "string" && typeof fault["message"] === "string";

export const isRevisionConflict = (error: unknown) =>
  error instanceof SensorRefusedError && error.code === rpcErrors.otherRevision;

/** The device's message; undefined if the error isn't a refusal by the device. */
export function refusalText(error: unknown): string | undefined {
  if (!(error instanceof SensorRefusedError)) return undefined;
  return isRevisionConflict(error) ? text.changed : refusalMessage(error, text.unknownMethod);
}

export const requestFailureText = (error: unknown): string => refusalText(error) ?? failureText(error);

/** Must not start with "sensor", because live messages about sensors would otherwise cause requests to devices. */
export const sectionKey = (id: string, key: string) => ["section", id, key];

/** Polling intervals for pending changes and for unresponsive sensors. */
const pollMs = { applying: 2000, away: 5000 };

type Asking = { isApplying: boolean; isConnected: boolean };

export function useSection(id: string, { key }: Section, { isApplying, isConnected }: Asking) {
  const client = useQueryClient();
  const queryKey = sectionKey(id, key);
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const answer = (await callSensor(id, "config.get", { section: key }, signal)) as ServedSection;
      const known = client.getQueryData<ServedSection>(queryKey);
      // Values that were just saved can be newer than those that the server has stored.
      return answer.source === "stored" && known !== undefined && known.rev > answer.rev
        ? { ...known, source: answer.source }
        : answer;
    },
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state }) => {
      if (isApplying) return pollMs.applying;
      const isAway = state.data?.source === "stored" || isSensorUnreachable(state.error);
      return isConnected && isAway ? pollMs.away : false;
    },
  });
}

/** Keys of the sections that this section references, or that reference its items. */
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

/**
 * Loads the sections that this section references, or that reference it. Returns their values by section key. If a section can't
 * be loaded, only the sensor validates references to it.
 */
export function useOtherSections(id: string, section: Section): Values {
  const keys = useMemo(() => referredIn(section), [section]);
  return useQueries({
    queries: keys.map((key) => ({
      queryKey: sectionKey(id, key),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callSensor(id, "config.get", { section: key }, signal) as Promise<ServedSection>,
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
