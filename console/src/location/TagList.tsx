// Tags in a cell or card of the location list: two of them, and the number of the others, with all in the tooltip.
import { useTip } from "../ui/feedback/Tip.tsx";
import rows from "../ui/theme/rows.module.css";
import { visuallyHidden } from "../ui/visuallyHidden.ts";

const shownCount = 2;

export function TagList({ tags }: { tags: readonly string[] }) {
  const { handlers, tip } = useTip((list) => {
    const isCut = [...list.children].some((tag) => tag.scrollWidth > tag.clientWidth);
    return isCut || tags.length > shownCount ? tags.join(", ") : undefined;
  });
  const others = tags.slice(shownCount);
  return (
    <>
      <span role="list" className={rows["tags"]} {...handlers}>
        {tags.slice(0, shownCount).map((tag) => (
          <span role="listitem" key={tag} className={rows["tag"]}>
            {tag}
          </span>
        ))}
        {others.length === 0 ? null : (
          <span role="listitem" className={rows["tag"]} data-more="">
            <span aria-hidden>+{others.length}</span>
            <span style={visuallyHidden}>{others.join(", ")}</span>
          </span>
        )}
      </span>
      {tip}
    </>
  );
}
