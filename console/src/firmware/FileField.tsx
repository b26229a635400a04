// File field with drag and drop, file name and size.
import UploadFileRounded from "~icons/ic/round-upload-file";
import { Box, Button, FormHelperText, InputLabel } from "@mui/material";
import { type DragEvent, useId, useRef, useState } from "react";
import { Mono } from "../ui/Mono.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { firmwareText, formatFileSize } from "./firmware.text.ts";

type FileFieldProps = {
  value: File | null;
  onChange: (file: File) => void;
  error: string | undefined;
  disabled: boolean;
};

export function FileField({ value, onChange, error, disabled }: FileFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined && !disabled) onChange(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <Box>
      <InputLabel component="span" error={error !== undefined}>
        {firmwareText.file}
      </InputLabel>
      <Box
        onDragOver={(event: DragEvent) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        sx={{
          display: "flex",
          flexWrap: "wrap",
          alignItems: "center",
          gap: 3,
          p: 3,
          minWidth: 0,
          border: "1px dashed",
          borderColor: error === undefined ? (over ? "primary.main" : "divider") : "error.main",
          borderRadius: "6px",
          bgcolor: over ? "action.hover" : "transparent",
        }}
      >
        <Button
          component="label"
          // No button role: the control is the input inside.
          role={undefined}
          variant="outlined"
          color="inherit"
          disabled={disabled}
          startIcon={<UploadFileRounded />}
          sx={{
            flexShrink: 0,
            "&:focus-within": { outline: "2px solid", outlineColor: "primary.main", outlineOffset: 2 },
          }}
          tabIndex={-1}
        >
          {value === null ? firmwareText.chooseFile : firmwareText.otherFile}
          <input
            ref={input}
            type="file"
            aria-label={firmwareText.file}
            required
            aria-invalid={error !== undefined}
            aria-describedby={`${id}-chosen ${id}-error`}
            style={visuallyHidden}
            disabled={disabled}
            onChange={(event) => {
              take(event.target.files);
              // Allows selecting the same file again after it changed.
              event.target.value = "";
            }}
          />
        </Button>
        <Box id={`${id}-chosen`} sx={{ minWidth: 0, color: "text.secondary" }}>
          {value === null ? null : (
            <>
              <Mono style={{ color: "var(--mui-palette-text-primary)" }}>{value.name}</Mono>{" "}
              {formatFileSize(value.size)}
            </>
          )}
        </Box>
      </Box>
      <FormHelperText id={`${id}-error`} error role={error === undefined ? undefined : "alert"}>
        {error}
      </FormHelperText>
    </Box>
  );
}
