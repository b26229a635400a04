// Tags in a cell or card of the location list: two of them, or one in a narrow cell, and the number of the others, with all in the
// tooltip.
import { useTip } from "../ui/feedback/Tip.tsx";
import rows from "../ui/theme/rows.module.css";
import { visuallyHidden } from "../ui/visuallyHidden.ts";

export function TagList({ tags }: { tags: readonly string[] }) {
  const { handlers, tip } = useTip((list) => {
    const isCut = [...list.querySelectorAll(`.${rows["tag"]}`)].some((tag) => tag.scrollWidth > tag.clientWidth);
    return isCut || tags.length > 1 ? tags.join(", ") : undefined;
  });
  const [first, second, ...others] = tags;
  return (
    <>
      <span role="list" className={rows["tags"]} {...handlers}>
        <span role="listitem" className={rows["tag"]}>
          {first}
        </span>
        {second === undefined ? null : (
          <>
            <span role="listitem" className={rows["tag"]} data-room="wide">
              {second}
            </span>
            <More tags={others} room="wide" />
            <More tags={[second, ...others]} room="narrow" />
          </>
        )}
      </span>
      {tip}
    </>
  );
}

const More = ({ tags, room }: { tags: readonly string[]; room: "wide" | "narrow" }) =>
  tags.length === 0 ? null : (
    <span role="listitem" className={rows["moreTags"]} data-room={room}>
      <span aria-hidden>+{tags.length}</span>
      <span style={visuallyHidden}>{tags.join(", ")}</span>
    </span>
  );
