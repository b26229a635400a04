// Where the objects lead that a refusal names.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import type { useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { isPlainClick } from "./navigation.tsx";
import { paths } from "./paths.ts";
import type { LinkTo } from "../ui/ObjectLink.tsx";

const pathOf: Record<NamedObject["type"], (id: string) => string> = {
  account: paths.account,
  artifact: paths.firmwareItem,
  "init-token": paths.initToken,
  measurement: paths.locationGeneral,
  role: paths.role,
  sensor: paths.sensor,
};

/** For `ObjectLinks`, which stands outside of the pages because messages do. */
export function linksOf(router: ReturnType<typeof useRouter>): LinkTo {
  return ({ type, id }) => {
    const href = pathOf[type](id);
    return {
      href,
      onClick: (event: MouseEvent<HTMLElement>) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        void router.navigate({ href });
      },
    };
  };
}
