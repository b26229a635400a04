// Camera picture in a box of fixed proportions, with an overlay.
import { Box } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useState } from "react";
import { drawingText as text } from "./drawing.text.ts";
import type { Size } from "./geometry.ts";

export type Picture = Size & { name: string; url: string | null };

const plain: Size = { width: 640, height: 480 };
/** Returns a default size while there is no picture. */
export const sizeOf = (picture: Picture | null): Size =>
  picture === null || picture.width === 0 || picture.height === 0 ? plain : picture;

/** Always 4:3. Pictures with other proportions get bars. */
const Outer = styled("div")(({ theme }) => ({
  containerType: "inline-size",
  aspectRatio: "4 / 3",
  display: "grid",
  placeItems: "center",
  borderRadius: 6,
  backgroundColor: theme.vars.palette.action.hover,
  boxShadow: `inset 0 0 0 1px ${theme.vars.palette.divider}`,
}));

const Image = styled("img")({
  position: "absolute",
  inset: 0,
  width: "100%",
  height: "100%",
  borderRadius: 6,
});

type PictureFrameProps = {
  picture: Picture | null;
  empty?: string;
  children?: ReactNode;
};

export function PictureFrame({ picture, empty = text.noPicture, children }: PictureFrameProps) {
  const [broken, setBroken] = useState<string | null>(null);
  const { width, height } = sizeOf(picture);
  const url = picture?.url ?? null;
  return (
    <Outer>
      <div
        style={{ position: "relative", width: `min(100cqw, ${(75 * width) / height}cqw)`, aspectRatio: width / height }}
      >
        {picture === null || url === null || url === broken ? (
          <Box sx={{ position: "absolute", inset: 0, display: "grid", placeItems: "center", color: "text.secondary" }}>
            {empty}
          </Box>
        ) : (
          <Image
            src={url}
            alt={text.camera(picture.name)}
            width={width}
            height={height}
            draggable={false}
            onError={() => setBroken(url)}
          />
        )}
        {children}
      </div>
    </Outer>
  );
}
