// Switches the accounts page between list, tree and the health of customers.
import AccountTreeOutlined from "~icons/ic/outline-account-tree";
import MonitorHeartOutlined from "~icons/ic/outline-monitor-heart";
import ViewListOutlined from "~icons/ic/outline-view-list";
import { ToggleButton, ToggleButtonGroup } from "@mui/material";
import type { ListState } from "../../address/list-state.ts";
import { accountText as text } from "../account.text.ts";

type View = "list" | "tree" | "health";

export function ViewSwitch({ list, view }: { list: ListState; view: View }) {
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      aria-label={text.view}
      value={view}
      onChange={(_, next: View | null) =>
        next === null ? undefined : list.setView(next === "tree" ? undefined : next)
      }
    >
      <ToggleButton value="list" aria-label={text.listView}>
        <ViewListOutlined fontSize="small" />
      </ToggleButton>
      <ToggleButton value="tree" aria-label={text.treeView}>
        <AccountTreeOutlined fontSize="small" />
      </ToggleButton>
      <ToggleButton value="health" sx={{ gap: 1 }}>
        <MonitorHeartOutlined fontSize="small" />
        {text.healthView}
      </ToggleButton>
    </ToggleButtonGroup>
  );
}
