// Why a select of an owner or of a firmware offers nothing, in the words of the sensor pages.
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useNewAccount } from "../entity/owner-choice.ts";
import type { NoChoice } from "../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../session/useCan.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { sensorPageText } from "./sensor-page.text.ts";

/** Says in a toast why a list that was opened holds no choice (ER-02, spec 2 §8). */
export function useExplained() {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const newAccount = useNewAccount();
  return {
    owner: (why: NoChoice, mayGive: boolean) => {
      if (!mayGive) toasts.error({ title: sensorPageText.noChangeOwner });
      else if (why === "notAllowed") toasts.error({ title: sensorPageText.noAccountAssignable });
      else toasts.error({ title: sensorPageText.noAccount, action: newAccount });
    },
    firmware: (why: NoChoice) => {
      if (why === "notAllowed") return toasts.error({ title: sensorPageText.noArtifactAssignable });
      const action = {
        label: sensorPageText.createArtifact,
        onClick: () => go(paths.newFirmware, { query: "dropList" }),
      };
      toasts.error({ title: sensorPageText.noArtifact, ...(can.viewType("artifact") ? { action } : {}) });
    },
  };
}
