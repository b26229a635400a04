// Tests that object names in texts become links at the right position, even names that are also ordinary words.
import { expect, test } from "vitest";
import { renderInApp } from "../testing/render.tsx";
import { LinkedText, ObjectLinksProvider } from "./ObjectLink.tsx";

const linkTo = ({ type, id }: { type: string; id: string }) => ({ href: `/${type}/${id}`, onClick: () => undefined });

test.each([
  ["The location belongs to Quay, which you can't use.", "Quay", "The location belongs to "],
  // If the rest of the text contains the name, too, the last occurrence is linked.
  ["The location belongs to The, which you can't use.", "The", "The location belongs to "],
  ["The location belongs to to, which you can't use.", "to", "The location belongs to "],
  ["It is used in usedom", "used", "It is "],
  ["Firmware 1.19.0 is for APS; this sensor is a PS.C1.", "1.19.0", "Firmware "],
  // If the text doesn't contain the name, it is appended.
  ["No permission.", "Quay", "No permission. "],
  ["Quayside is full.", "Quay", "Quayside is full. "],
])("ER-02 in %j the link is %j", async (text, name, before) => {
  const { container, ...screen } = await renderInApp(
    <ObjectLinksProvider linkTo={linkTo}>
      <p>
        <LinkedText text={text} object={{ type: "account", id: "7", name }} />
      </p>
    </ObjectLinksProvider>,
  );
  const link = screen.getByRole("link", { name, exact: true });
  await expect.element(link).toHaveAttribute("href", "/account/7");
  expect(link.element().previousSibling?.textContent).toBe(before);
  const said = container.querySelector("p")?.textContent ?? "";
  expect(said === text || said === `${before}${name}`).toBe(true);
});

test("ER-02 where nothing tells the way, and where nothing is named, the text stands alone", async () => {
  const { container } = await renderInApp(
    <p>
      <LinkedText text="It belongs to Quay." object={{ type: "account", id: "7", name: "Quay" }} />
      <LinkedText text=" No more." />
    </p>,
  );
  expect(container.querySelector("p")?.textContent).toBe("It belongs to Quay. No more.");
  expect(container.querySelector("a")).toBeNull();
});
