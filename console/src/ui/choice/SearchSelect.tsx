// A searchable select. While closed it is a plain field; its search loads on first use and takes over focus and typed text
// (ADR 0027).
import { Box, IconButton, SvgIcon, TextField } from "@mui/material";
import type { MouseEvent } from "react";
import { createLazyField, useLazyField } from "./lazyField.ts";

export type SelectOption = {
  id: string;
  label: string;
  /** Small text beside the label. */
  hint?: string | undefined;
};

/** Props that don't depend on the selected value. */
export type SearchSelectFieldProps = {
  label: string;
  id?: string;
  placeholder?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  disabled?: boolean;
  /** Default true. */
  clearable?: boolean;
  required?: boolean;
};

export type SearchSelectProps = SearchSelectFieldProps & {
  value: SelectOption | null;
  onChange: (option: SelectOption | null) => void;
  options: readonly SelectOption[];
  /** Total number of matches, shown below the list. */
  total?: number;
  loading?: boolean;
  failed?: boolean;
  /** Reloads the options; also called when the list is opened again. */
  onRetry?: () => void;
  /** Called with the typed text, debounced by 300 ms; with an empty text when the list closes. */
  onSearch: (text: string) => void;
  onOpen?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
};

export const lazySearch = createLazyField(async () => (await import("./SearchingSelect.tsx")).SearchingSelect);

export function SearchSelect(props: SearchSelectProps) {
  const { value, onChange, label, required = false, readOnly = false, disabled = false } = props;
  const { Field, earlyInput, hasFailed, handlers } = useLazyField(lazySearch, { isReadOnly: readOnly || disabled });
  if (Field !== null) return <Field {...props} earlyInput={earlyInput} />;
  const hasPopup = !readOnly;
  const hasClear = value !== null && props.clearable !== false && !readOnly && !disabled;
  const error = hasFailed ? "Search failed" : props.error;
  return (
    <TextField
      {...(props.id === undefined ? {} : { id: props.id })}
      label={label}
      required={required}
      disabled={disabled}
      value={earlyInput.typed ?? value?.label ?? ""}
      error={error !== undefined}
      helperText={error ?? props.helperText}
      placeholder={props.placeholder ?? ""}
      slotProps={{
        htmlInput: { ...comboBox, ...handlers },
        input: {
          readOnly,
          sx: { ...(hasPopup && hasClear ? bothFit : hasPopup ? oneFits : noneFits), ...closedLook },
          endAdornment: hasPopup ? (
            <Box sx={{ position: "absolute", right: 9, top: "50%", transform: "translateY(-50%)" }}>
              {hasClear ? (
                <IconButton
                  data-clear=""
                  aria-label="Clear"
                  title="Clear"
                  tabIndex={-1}
                  sx={{ mr: "-2px", p: "4px", minWidth: 24, minHeight: 24, visibility: "hidden" }}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={(event) => {
                    onChange(null);
                    inputBeside(event).focus();
                  }}
                >
                  <SvgIcon fontSize="small">
                    <path d="M19 6.41 17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z" />
                  </SvgIcon>
                </IconButton>
              ) : null}
              <IconButton
                aria-label="Open"
                title="Open"
                tabIndex={-1}
                disabled={disabled}
                sx={{ mr: "-2px", p: "2px", minWidth: 24, minHeight: 24 }}
                onMouseDown={(event) => {
                  event.preventDefault();
                  inputBeside(event).focus();
                  handlers.onMouseDown();
                }}
              >
                <SvgIcon>
                  <path d="M7 10l5 5 5-5z" />
                </SvgIcon>
              </IconButton>
            </Box>
          ) : null,
        },
      }}
    />
  );
}

const inputBeside = ({ currentTarget }: MouseEvent<HTMLElement>) =>
  currentTarget.closest(".MuiInputBase-root")?.querySelector("input") ?? currentTarget;

/** Same accessibility attributes as the loaded field. */
const comboBox = {
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": false,
  autoComplete: "off",
  autoCapitalize: "none",
  spellCheck: false,
} as const;

/** Same size as the loaded field, to avoid layout shift. */
const closedLook = {
  "&&& > input": { p: "4px 2px", width: 0, minWidth: 30, flexGrow: 1, textOverflow: "ellipsis" },
  "@media (pointer: fine)": { "&:hover [data-clear]": { visibility: "visible" } },
  "&:focus-within [data-clear]": { visibility: "visible" },
} as const;
const noneFits = { "&&&": { p: "4px 8px" } };
const oneFits = { "&&&": { p: "4px 8px" } };
const bothFit = { "&&&": { p: "4px 8px" } };
