// Copies a text and confirms it in place; also works on insecure origins, which lack the clipboard API.
import CheckRounded from "~icons/ic/round-check";
import ContentCopyRounded from "~icons/ic/round-content-copy";
import ErrorOutlineRounded from "~icons/ic/round-error-outline";
import { IconButton } from "@mui/material";
import { useState } from "react";
import { Tip } from "./feedback/Tip.tsx";
import { useTimer } from "./form/useDebounced.ts";
import { visuallyHidden } from "./visuallyHidden.ts";

/** Returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

type CopyButtonProps = {
  value: string;
  /** Accessible name, beginning with the verb: "Copy token Entrance". */
  label: string;
};

const shown = {
  ready: { words: "", icon: <ContentCopyRounded /> },
  copied: { words: "Copied", icon: <CheckRounded color="success" /> },
  failed: { words: "Copying failed. Select the text and copy it.", icon: <ErrorOutlineRounded color="error" /> },
};

export function CopyButton({ value, label }: CopyButtonProps) {
  const [result, setResult] = useState<keyof typeof shown>("ready");
  const { start } = useTimer();
  const { words, icon } = shown[result];
  const copy = async () => {
    setResult((await copyText(value)) ? "copied" : "failed");
    start(() => setResult("ready"), 2000);
  };
  return (
    <>
      <Tip text={label}>
        <IconButton
          size="small"
          aria-label={label}
          onClick={(event) => {
            event.stopPropagation();
            void copy();
          }}
        >
          {icon}
        </IconButton>
      </Tip>
      <span role="status" style={visuallyHidden}>
        {words}
      </span>
    </>
  );
}
