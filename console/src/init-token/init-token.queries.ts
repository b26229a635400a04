// What the init token pages ask the server. Live messages never carry the secret, so the rows keep the one they have.
import {
  createInitToken,
  deleteInitToken,
  getInitToken,
  listInitTokens,
  updateInitToken,
} from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";
import { keepAnswer } from "../entity/left-view.ts";

/** One page of the list with its exact total. */
export function useInitTokens(query: Search) {
  return useListed(["init-token", "list", query], (signal) => call(listInitTokens, { query, signal }));
}

/** `wanted` false asks no more, e.g. once it is being deleted: the answer would only be that it is gone. */
export function useInitToken(id: string, wanted = true) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["init-token", "one", id],
    enabled: wanted,
    queryFn: ({ signal }) => call(getInitToken, { params: { id }, signal }),
    placeholderData: () =>
      client
        .getQueriesData<{ objects?: InitToken[] }>({ queryKey: ["init-token", "list"] })
        .flatMap(([, page]) => page?.objects ?? [])
        .find((token) => token._id === id),
  });
}

function useAfterwards() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["init-token", "list"] });
}

export function useCreateInitToken() {
  const refresh = useAfterwards();
  return useMutation({
    mutationFn: (body: Sent<typeof createInitToken>["body"]) => call(createInitToken, { body }),
    onSuccess: refresh,
  });
}

export function useUpdateInitToken(id: string) {
  const refresh = useAfterwards();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, version }: { change: Sent<typeof updateInitToken>["body"]; version?: number }) =>
      call(updateInitToken, { params: { id }, body: change, ...(version === undefined ? {} : { version }) }),
    onSuccess: (token) => {
      keepAnswer(client, "init-token", token);
      return refresh();
    },
  });
}

export function useDeleteInitToken(id: string) {
  const refresh = useAfterwards();
  return useMutation({ mutationFn: () => call(deleteInitToken, { params: { id } }), onSuccess: refresh });
}
