// Every part of the kit in one place, with made-up rows, to look at and to check for accessibility. Not shipped.
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import PersonAddOutlined from "@mui/icons-material/PersonAddOutlined";
import UploadFileOutlined from "@mui/icons-material/UploadFileOutlined";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import FormControlLabel from "@mui/material/FormControlLabel";
import Link from "@mui/material/Link";
import MenuItem from "@mui/material/MenuItem";
import Switch from "@mui/material/Switch";
import TextField from "@mui/material/TextField";
import { useMemo, useState } from "react";
import { useThemeMode } from "../src/theme/AppTheme.tsx";
import { useDensity } from "../src/theme/density.tsx";
import { BatchBar } from "../src/ui/batch/BatchBar.tsx";
import { BatchDialog } from "../src/ui/batch/BatchDialog.tsx";
import { ConfirmDialog } from "../src/ui/form/ConfirmDialog.tsx";
import { CopyButton } from "../src/ui/CopyButton.tsx";
import { DataTable } from "../src/ui/table/DataTable.tsx";
import { Disabled } from "../src/ui/feedback/Disabled.tsx";
import { EmptyState } from "../src/ui/feedback/EmptyState.tsx";
import { ErrorSummary } from "../src/ui/form/ErrorSummary.tsx";
import { FilterChips } from "../src/ui/table/FilterChips.tsx";
import { FilterDrawer, FiltersButton, useFiltersBeside } from "../src/ui/table/FilterDrawer.tsx";
import { FormDialog } from "../src/ui/form/FormDialog.tsx";
import { Mono } from "../src/ui/Mono.tsx";
import { PageHeader } from "../src/ui/PageHeader.tsx";
import { Pager } from "../src/ui/table/Pager.tsx";
import { PasswordField } from "../src/ui/form/PasswordField.tsx";
import { RelativeTime } from "../src/ui/RelativeTime.tsx";
import { SearchField } from "../src/ui/table/SearchField.tsx";
import { allSelected, canSelectAll, emptySelection, selectionCount } from "../src/ui/table/Selection.ts";
import { CardSkeleton } from "../src/ui/feedback/Skeletons.tsx";
import { SpeedDial } from "../src/ui/SpeedDial.tsx";
import { StatusDot } from "../src/ui/feedback/StatusDot.tsx";
import type { StatusTone } from "../src/ui/feedback/StatusDot.tsx";
import { useToasts } from "../src/ui/feedback/Toasts.tsx";
import { sortRows } from "../src/ui/table/columns.ts";
import type { Column, Sort } from "../src/ui/table/columns.ts";

type Thing = {
  id: string;
  name: string;
  owner: string;
  tone: StatusTone;
  state: string;
  version: string;
  seen: number;
  people: number;
};

const states: readonly [StatusTone, string][] = [
  ["good", "Online"],
  ["good", "Online"],
  ["off", "Disconnected"],
  ["warning", "Not responding"],
  ["bad", "Error"],
  ["pending", "Installing"],
];

const things: readonly Thing[] = Array.from({ length: 14 }, (_, index) => {
  const [tone, state] = states[(index * 5 + 1) % states.length] ?? ["neutral", "Unknown"];
  const hex = (index * 7919 + 0x3412).toString(16).padStart(4, "0").toUpperCase();
  return {
    id: `00:1E:C0:12:${hex.slice(0, 2)}:${hex.slice(2, 4)}`,
    name:
      ["Main entrance", "Car park lift, second underground level of the north building", "Food court", "West gate"][
        index % 4
      ] ?? "",
    owner: ["Branch 01", "Branch 02", "Northern Retail Holding"][index % 3] ?? "",
    tone,
    state,
    version: `5.${index % 4}.${(index * 3) % 10}`,
    seen: Date.now() - index * index * 1_700_000 - 60_000,
    people: (index * 3571) % 12_000,
  };
});

const columns: readonly Column<Thing>[] = [
  { id: "name", header: "Name", cell: (row) => row.name, sortable: true, sortValue: (row) => row.name },
  { id: "state", header: "Connection", cell: (row) => <StatusDot tone={row.tone} label={row.state} />, width: 148 },
  {
    id: "id",
    header: "ID",
    cell: (row) => <Mono>{row.id}</Mono>,
    sortable: true,
    sortValue: (row) => row.id,
    width: 168,
  },
  { id: "owner", header: "Owner", cell: (row) => row.owner, sortable: true, sortValue: (row) => row.owner, width: 168 },
  { id: "version", header: "Firmware", cell: (row) => <Mono>{row.version}</Mono>, width: 96 },
  { id: "location", header: "Location", cell: () => <Link href="#location">Market square</Link>, width: 136 },
  {
    id: "seen",
    header: "Last contact",
    cell: (row) => <RelativeTime value={row.seen} />,
    width: 124,
    sortable: true,
    sortValue: (row) => row.seen,
  },
  {
    id: "people",
    header: "People",
    cell: (row) => row.people.toLocaleString("en"),
    numeric: true,
    width: 92,
    sortable: true,
    sortValue: (row) => row.people,
  },
];
const thingId = (row: Thing) => row.id;

/** The showroom; `?open=form|confirm|batch|toasts` opens a part, `?part=empty` shows the empty screens. */
export function Showroom() {
  const wanted = new URLSearchParams(location.search);
  const toasts = useToasts();
  const { setMode, resolved } = useThemeMode();
  const { density, setDensity } = useDensity();
  const beside = useFiltersBeside();
  const [filters, setFilters] = useState(beside);
  const [name, setName] = useState("");
  const [sort, setSort] = useState<Sort>([{ id: "name", desc: false }]);
  const [selection, setSelection] = useState(emptySelection);
  const [page, setPage] = useState(5);
  const [open, setOpen] = useState(wanted.get("open") ?? "");
  const rows = useMemo(() => sortRows(things, columns, sort), [sort]);
  const total = 312;
  const active = name === "" ? 1 : 2;
  if (wanted.get("part") === "empty") return <Empties />;
  return (
    <Box component="main" sx={{ p: { xs: 4, sm: 6 }, maxWidth: 1440, width: "100%", mx: "auto" }}>
      <PageHeader
        title="Sensors"
        subtitle="312 sensors in 14 accounts"
        selectionBar={
          <BatchBar
            count={selectionCount(selection, total)}
            total={total}
            offerAll={canSelectAll(selection)}
            onSelectAll={() => setSelection(allSelected)}
            onCancel={() => setSelection(emptySelection)}
            actions={[
              { label: "Set firmware", onClick: () => setOpen("batch"), disabledReason: "No firmware exists" },
              { label: "Set owner", onClick: () => setOpen("batch") },
              { label: "Set location", onClick: () => setOpen("batch") },
              { label: "Delete", danger: true, onClick: () => setOpen("batch") },
            ]}
          />
        }
        {...(wanted.get("dial") === null
          ? { primary: { label: "Register Sensor", icon: <AddRounded />, onClick: () => setOpen("form") } }
          : {
              action: (
                <SpeedDial
                  label="Add account"
                  items={[
                    {
                      label: "Import accounts from csv",
                      icon: <UploadFileOutlined fontSize="small" />,
                      onClick: () => undefined,
                    },
                    {
                      label: "Create account manually",
                      icon: <PersonAddOutlined fontSize="small" />,
                      onClick: () => undefined,
                    },
                  ]}
                />
              ),
            })}
      >
        <FiltersButton open={filters} onClick={() => setFilters(!filters)} activeCount={active} />
        <FilterChips
          filters={[{ id: "owner", name: "Owner", value: "Northern Retail Holding", onRemove: () => undefined }]}
          onClear={() => setName("")}
          clearLabel="Clear filters"
        />
        <Box sx={{ ml: "auto", display: "flex", flexWrap: "wrap", gap: 2 }}>
          <Button color="inherit" onClick={() => setMode(resolved === "dark" ? "light" : "dark")}>
            Theme
          </Button>
          <Button color="inherit" onClick={() => setDensity(density === "compact" ? "comfortable" : "compact")}>
            Density
          </Button>
          <Button color="inherit" onClick={() => setOpen("confirm")}>
            Confirm
          </Button>
          <Button
            color="inherit"
            onClick={() => {
              toasts.error({
                title: "Failed to update sensor.",
                text: "The server could not be reached.",
                action: { label: "Try again", onClick: () => undefined },
              });
              toasts.success("Saved");
            }}
          >
            Toasts
          </Button>
          <Disabled reason="Purchase a sensor monitoring license for at least 1 sensor to enable the dashboard">
            <Button variant="outlined">Dashboard</Button>
          </Disabled>
        </Box>
      </PageHeader>
      <Box sx={{ display: "flex", alignItems: "flex-start" }}>
        <FilterDrawer
          open={filters}
          onClose={() => setFilters(false)}
          activeCount={active}
          onClear={() => setName("")}
          clearLabel="Clear filters"
        >
          <SearchField label="Search by name" value={name} onChange={setName} />
          <TextField select label="State" defaultValue="all">
            <MenuItem value="all">All states</MenuItem>
            <MenuItem value="connected">Connected</MenuItem>
          </TextField>
          <Autocomplete
            options={["Branch 01", "Branch 02"]}
            renderInput={(params) => <TextField {...params} label="Owner" placeholder="Any owner" />}
          />
        </FilterDrawer>
        <Box sx={{ flex: 1, minWidth: 0, display: "flex", flexDirection: "column", gap: 2 }}>
          <DataTable
            label="Sensors"
            columns={columns}
            rows={wanted.get("part") === "loading" ? [] : rows}
            loading={wanted.get("part") === "loading"}
            rowId={thingId}
            rowLabel={(row) => row.name}
            sort={sort}
            onSortChange={setSort}
            selection={selection}
            onSelectionChange={setSelection}
            total={total}
            onRowClick={() => setOpen("form")}
            rowActions={(row) => [
              {
                label: `Delete ${row.name}`,
                icon: <DeleteOutlineRounded />,
                danger: true,
                onClick: () => setOpen("confirm"),
              },
            ]}
          />
          <Pager page={page} pageSize={14} total={total} onPageChange={setPage} />
        </Box>
      </Box>
      <Dialogs open={open} onClose={() => setOpen("")} />
    </Box>
  );
}

function Dialogs({ open, onClose }: { open: string; onClose: () => void }) {
  const [monitoring, setMonitoring] = useState(true);
  return (
    <>
      <FormDialog
        open={open === "form"}
        title="Branch 01"
        subtitle="Account"
        maxWidth={600}
        dirty
        onClose={onClose}
        onSubmit={() => undefined}
        error="A role may not have more powerful permissions than your own role."
      >
        <ErrorSummary errors={[{ fieldId: "name", message: "The name is required" }]} />
        <TextField id="name" label="Name" error helperText="The name is required" required />
        <TextField select label="Role" defaultValue="technician" helperText="You can't assign any other role.">
          <MenuItem value="technician">Technician</MenuItem>
        </TextField>
        <PasswordField label="Password" autoComplete="new-password" defaultValue="correct horse" />
        <TextField label="Registration code" disabled defaultValue="7KQ2M9XD" />
        <FormControlLabel
          control={<Switch checked={monitoring} onChange={(_, on) => setMonitoring(on)} />}
          label="Monitoring"
        />
        <FormControlLabel
          control={
            <Disabled kind="input" reason="There is no registration code yet">
              <Switch checked={false} />
            </Disabled>
          }
          label="Re-registration"
        />
        <Box sx={{ display: "flex", alignItems: "center", gap: 2 }}>
          Token <Mono>ps_7f3a…c91</Mono>
          <CopyButton value="ps_7f3ac91" label="Copy token Entrance" />
        </Box>
      </FormDialog>
      <ConfirmDialog
        open={open === "confirm"}
        title="Delete Sensor"
        confirmLabel="Delete"
        onConfirm={onClose}
        onClose={onClose}
      >
        You are about to delete the sensor with id= 00:1E:C0:12:34:12 owned by Branch 01. Are you sure?
      </ConfirmDialog>
      <BatchDialog
        open={open === "batch"}
        title="Set owner of 5 sensors"
        submitLabel="Save"
        total={5}
        texts={{
          success: (changed) => `Successfully updated all ${changed} sensor(s)!`,
          partial: (failed, changed) =>
            `${failed} sensor(s) failed to update! ${changed} sensor(s) was/were updated successfully.`,
          failedTitle: "Saving Failed",
        }}
        run={async ({ onlyIds }) => ({
          success: onlyIds === undefined ? 3 : 1,
          fail: things
            .slice(0, onlyIds === undefined ? 2 : 1)
            .map((thing) => ({ id: thing.id, errMessage: "You have no permission to change the sensor's owner." })),
        })}
        onClose={onClose}
      >
        <Autocomplete
          options={["Branch 01", "Branch 02"]}
          renderInput={(params) => <TextField {...params} label="Owner" required />}
        />
      </BatchDialog>
    </>
  );
}

function Empties() {
  return (
    <Box component="main" sx={{ p: 4 }}>
      <PageHeader title="Empty screens" />
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: "repeat(auto-fill, minmax(300px, 1fr))" }}>
        <EmptyState
          kind="none"
          title="No roles existing"
          text="With roles you can assign permissions to accounts."
          action={{ label: "Create role", onClick: () => undefined }}
        />
        <EmptyState
          kind="noMatch"
          title="No sensors found"
          text="No sensors found for the given filter criteria."
          action={{ label: "Clear filters", onClick: () => undefined }}
        />
        <EmptyState
          kind="denied"
          title="No permission"
          text="Your role doesn't allow you to view sensors. Ask the person who manages your account."
        />
        <EmptyState
          kind="error"
          title="Something went wrong"
          text="The list could not be loaded."
          action={{ label: "Try again", onClick: () => undefined }}
        />
        <EmptyState kind="notFound" title="Page not found" action={{ label: "Home", href: "#" }} />
        <EmptyState kind="offline" title="No connection to server" text="Trying again every few seconds." />
        <CardSkeleton />
      </Box>
    </Box>
  );
}
