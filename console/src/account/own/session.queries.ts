// Where one is signed in, and ending it.
import { endOtherSessions, endSession, listSessions } from "@psp/contract/auth/auth.api.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const key = ["session", "list"];

/** Looked at again every minute: sessions come and go without a message. */
export function useOwnSessions() {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => call(listSessions, { signal }), refetchInterval: 60_000 });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(endSession, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(endOtherSessions),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
