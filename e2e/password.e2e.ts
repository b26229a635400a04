// Tests resetting a password, from the login page through the mail to signing in again (AU-04, AU-05, AU-06).

import { mailsTo } from "./mails.ts";
import { expect, forgetSession, newName, personas, test, typeLogin } from "./world.ts";

const exportApp = "https://export.example.com";
const oldPassword = "violet-harbour-lantern";
const newPassword = "seven geese over the quay";

async function linkFor(address: string): Promise<string> {
  let link = "";
  const find = async () => {
    const mail = (await mailsTo(address)).at(-1) ?? "";
    link = /^https?:\S+\/reset-password\?token=[\w.-]+/m.exec(mail)?.[0] ?? "";
    return link;
  };
  await expect.poll(find).not.toBe("");
  return link;
}

test("AU-04 AU-05 AU-06 a forgotten password is reset by mail, with a link back to the origin", async ({
  page,
  baseURL,
  apiAs,
  provoke,
}) => {
  provoke(/status of 400 .*\/api\/auth\/login\/reset_password/);
  provoke(/status of 401 .*\/api\/auth\/login$/);
  const email = `${newName("forgetful").replace(" ", ".")}@example.com`;
  const dealer = await apiAs("operator");
  const accounts = await dealer.get<{ _id: string }[]>(
    `/api/account?name=${encodeURIComponent(personas.customerChild.account)}`,
  );
  const account = `/api/account/${accounts[0]?._id}`;
  await dealer.put(account, { credentialChanges: [{ operation: "ADD", email, newPassword: oldPassword }] });

  await page.goto(`/login?origin=${encodeURIComponent(exportApp)}`);
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await expect(
    page.getByText("Enter the email address linked to your account, and we'll send you a reset link."),
  ).toBeVisible();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Get reset link" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "We sent you a reset link to your email. Please check your inbox to proceed.",
  );
  await expect(page.getByLabel("Email")).toHaveCount(0);
  const back = page.getByRole("link", { name: "Back to login page" });
  await expect(back).toHaveAttribute("href", `${exportApp}/login`);

  const link = await linkFor(email);
  expect(link.startsWith(`${baseURL}/reset-password?token=`)).toBe(true);
  await page.goto(link);
  await expect(page.getByText("Enter the new password and click on update password button.")).toBeVisible();
  const first = page.getByRole("textbox", { name: "New password" });
  const second = page.getByRole("textbox", { name: "Confirm password" });
  const chip = page
    .getByRole("list", { name: "Password requirements" })
    .getByRole("listitem")
    .filter({ hasText: "At least 15 characters" });
  await expect(chip).toHaveText("At least 15 characters");
  await first.fill("too short");
  await expect(chip).toHaveText("At least 15 characters: not fulfilled");
  await page.getByRole("button", { name: "Update Password" }).click();
  await expect(page.getByText("Passwords do not match")).toBeVisible();
  await second.fill("too short");
  await page.getByRole("button", { name: "Update Password" }).click();
  await expect(page.getByText("The password doesn't fulfill all requirements")).toBeVisible();
  // Only the server can know that the password contains the user's data. The link stays valid.
  const personal = `it is mine: ${email}`;
  await first.fill(personal);
  await expect(chip).toHaveText("At least 15 characters: fulfilled");
  await second.fill(personal);
  await page.getByRole("button", { name: "Update Password" }).click();
  await expect(page.getByText("The password doesn't fulfill all requirements")).toBeVisible();
  await first.fill(newPassword);
  await second.fill(newPassword);
  await page.getByRole("button", { name: "Update Password" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "Your password was updated successfully. You can now login with your new password.",
  );
  await expect(first).toHaveCount(0);
  await expect(back).toHaveAttribute("href", `${exportApp}/login`);

  await page.goto(link);
  await first.fill("another seven geese here");
  await second.fill("another seven geese here");
  await page.getByRole("button", { name: "Update Password" }).click();
  await expect(page.getByRole("alert")).toHaveText("Reset link is invalid. Try to generate a new one");

  await expect(page.getByText("The link was already used.", { exact: true })).toBeVisible();

  await page.goto("/login");
  await typeLogin(page, email, oldPassword);
  await expect(page.getByRole("alert")).toHaveText("Email or password is wrong");
  await typeLogin(page, email, newPassword);
  await expect(page).not.toHaveURL(/\/login/);
  // Ends the page's session first, because the server would refuse its background requests.
  await forgetSession(page);
  await dealer.put(account, { credentialChanges: [{ operation: "REMOVE", email }] });
});

test(
  "AU-04 AU-06 too many requests must wait, and a foreign origin is no way back",
  { tag: "@prove" },
  async ({ page, provoke }) => {
    provoke(/status of 429 .*\/forgot_password$/);
    await page.goto("/forgot-password?origin=https%3A%2F%2Fevil.example.net");
    await expect(page.getByRole("link", { name: "Back to login page" })).toHaveAttribute("href", "/login");
    const ask = (n: number) =>
      page.request.put("/api/auth/login/forgot_password", { data: { email: `someone-${n}@example.com` } });
    await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n)));
    await page.getByLabel("Email").fill("someone@example.com");
    await page.getByRole("button", { name: "Get reset link" }).click();
    await expect(page.getByRole("alert")).toHaveText("Rate limit reached. Please wait 1 minute before trying again.");
    await expect(page.getByRole("button", { name: "Get reset link" })).toBeEnabled();
  },
);
