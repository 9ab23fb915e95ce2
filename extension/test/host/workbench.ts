// VS Code's workbench as a person uses it. Selectors of VS Code's own are here
// only, so that a new VS Code is met in one file.
import type { Frame, Locator, Page } from "playwright-core";
import { until } from "./processes";

/** How long the workbench may take to come up, in milliseconds. */
const loadTimeout = 120_000;

/** How long anything else may take. */
const timeout = 60_000;

/** The kinds of themes. */
export const themes = ["light", "dark", "contrast"] as const;
export type Theme = (typeof themes)[number];

/** How VS Code's page is marked with each kind. */
const themeClasses: Record<Theme, string> = { light: "vs", dark: "vs-dark", contrast: "hc-black" };

/** How the pages of webviews are marked. */
const webviewThemes: Record<Theme, string> = {
  light: "vscode-light",
  dark: "vscode-dark",
  contrast: "vscode-high-contrast",
};

/** Hands and eyes on a workbench. */
export class Workbench {
  constructor(readonly page: Page) {
    page.setDefaultTimeout(timeout);
  }

  /** Waits until the workbench is there. */
  async loaded(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: loadTimeout });
  }

  /** Waits until Winnow runs in it: on a busy machine extensions start long after the workbench is there. */
  async started(): Promise<void> {
    await this.page.locator('[id="winnow-mcp.winnow.winnow.status"]').waitFor({ timeout: loadTimeout });
  }

  /** Reloads the window, as the command does, and waits until it is there again. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent("load", { timeout: loadTimeout });
    await this.command("Developer: Reload Window");
    await loaded;
    await this.loaded();
  }

  /** Runs a command of the palette by its title, such as "Winnow: Show Log". */
  async command(title: string): Promise<void> {
    const entry = this.#entry(title);
    await until(`the command ${title}`, async () => {
      await this.page.keyboard.press("F1");
      const input = this.page.locator(".quick-input-widget input.input");
      // The palette is made when it is opened: a command that comes later is seen the next time. And it may have been
      // the last one that was just closing; or what takes the focus closes this one before the click.
      const ran = await input
        .fill(`>${title}`, { timeout: 3000 })
        .then(() => entry.waitFor({ timeout: 3000 }))
        .then(() => entry.click({ timeout: 3000 }))
        .then(
          () => true,
          () => false,
        );
      if (!ran) await this.page.keyboard.press("Escape");
      return ran;
    });
  }

  /** Runs a command until what it opens is there: what takes the focus meanwhile closes a list. */
  async opens(title: string, shown: Locator): Promise<void> {
    await until(`what ${title} opens`, async () => {
      await this.command(title);
      return shown.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Picks an entry of the list that a command opens. */
  async choose(title: string, label: string): Promise<void> {
    await until(`${title} to take the click on ${label}`, async () => {
      await this.command(title);
      return this.#entry(label)
        .click({ timeout: 10_000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  /** Picks an entry of the open quick pick by its label. */
  async pick(label: string): Promise<void> {
    await this.#entry(label).click();
  }

  #entry(label: string): Locator {
    const text = this.page.getByText(label, { exact: true });
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ has: text }).first();
  }

  /** Types into the open input box or quick pick, and presses Enter. */
  async answer(text: string): Promise<void> {
    await this.page.locator(".quick-input-widget input.input").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** The item of the status bar that shows a text. */
  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator(".part.statusbar .statusbar-item").filter({ hasText: text });
  }

  /** Opens a view container of the activity bar by its name. */
  async openContainer(name: string): Promise<void> {
    await this.page.locator(".activitybar .action-item a").and(this.page.getByLabel(name)).click();
  }

  /** Opens or closes a view of the container that is open. */
  async fold(name: string, open: boolean): Promise<void> {
    const header = this.page.locator(".part.sidebar .pane-header").filter({ hasText: name });
    // A header that is drawn again does not take the click.
    await until(`the view ${name} to be ${open ? "open" : "folded"}`, async () => {
      const stands = async () => (await header.getAttribute("aria-expanded", { timeout: 3000 })) === String(open);
      if (await stands()) return true;
      await header.locator(".title").click({ timeout: 3000 });
      return until("the header to say so", stands, 3000);
    });
  }

  /** A row of a tree view by its text. */
  treeRow(text: string | RegExp): Locator {
    return this.page.locator(".part.sidebar .monaco-list-row").filter({ hasText: text });
  }

  /** The rows of the side bar's views of which VS Code cuts something, as they read. */
  async cutRows(): Promise<string[]> {
    return this.page.evaluate<string[]>(`
      [...document.querySelectorAll(".part.sidebar .monaco-list-row .monaco-icon-label-container")]
        .filter((row) => row.scrollWidth > row.clientWidth)
        .map((row) => row.textContent)`);
  }

  /** Opens a row of a tree by keyboard: one with a checkbox opens by its arrow only. */
  async openRow(row: Locator): Promise<void> {
    // A tree that is being drawn again takes no key.
    await until("the row to open", async () => {
      if ((await row.getAttribute("aria-expanded")) === "true") return true;
      await row.click();
      await this.page.keyboard.press("ArrowRight");
      return false;
    });
  }

  /** Ticks the box of a row, or takes the tick away. */
  async tick(row: Locator, on: boolean): Promise<void> {
    const box = row.locator(".monaco-checkbox");
    const stands = async () => (await box.getAttribute("aria-checked", { timeout: 3000 })) === String(on);
    await until(`the box to be ${on ? "ticked" : "empty"}`, async () => {
      // A row that is being drawn again does not take the click.
      const clicked = async () => {
        if (!(await stands())) await box.click({ timeout: 3000 });
        return until("the box to change", stands, 3000);
      };
      return clicked().catch(() => false);
    });
  }

  /** Clicks one of the actions that a row of a tree shows when it is pointed at. */
  async rowAction(row: Locator, name: string): Promise<void> {
    // A row that is drawn again while it is pointed at hides its actions.
    await until(`the row to take the click on ${name}`, async () => {
      await row.hover();
      const click = row.getByRole("button", { name }).click({ timeout: 3000 });
      return click.then(
        () => true,
        () => false,
      );
    });
  }

  /** Clicks an action of a view's title, or of the menu behind its "…". A label may end in its keys. */
  async viewAction(view: string, label: string): Promise<void> {
    const name = new RegExp(`^${label.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?: \\(.*\\))?$`);
    const header = this.page.locator(".part.sidebar .pane-header").filter({ hasText: view });
    const action = header.getByRole("button", { name });
    const item = this.page.getByRole("menuitem", { name });
    await until(`the title of ${view} to take the click on ${label}`, async () => {
      await header.hover();
      const inTitle = await action.isVisible();
      const click = async () => {
        if (!inTitle) {
          if (!(await item.isVisible()))
            await header.getByRole("button", { name: /More Actions/ }).click({ timeout: 3000 });
          await item.waitFor({ timeout: 3000 });
        }
        await (inTitle ? action : item).click({ timeout: 3000 });
        // A menu does not take a click that comes right after it has opened.
        if (!inTitle) await item.waitFor({ state: "hidden", timeout: 1000 });
      };
      return click().then(
        () => true,
        () => false,
      );
    });
    await this.page.mouse.move(0, 0); // where the pointer rests, a hover comes up and covers the rows
  }

  /** What the menu behind the "…" of a view's title offers. */
  async viewMenu(view: string): Promise<string[]> {
    const header = this.page.locator(".part.sidebar .pane-header").filter({ hasText: view });
    const items = this.page.getByRole("menuitem").filter({ visible: true });
    return until(`the menu of ${view}`, async () => {
      await header.hover();
      await header
        .getByRole("button", { name: /More Actions/ })
        .click({ timeout: 3000 })
        .catch(() => undefined);
      const found = await items.allInnerTexts();
      await this.page.keyboard.press("Escape");
      return found.length > 0 && found.map((text) => text.trim());
    });
  }

  /** Chooses from the menu that a right click on a row of a tree opens. */
  async rowMenu(row: Locator, name: string): Promise<void> {
    const item = this.page.getByRole("menuitem", { name, exact: true });
    let clicked = false;
    await until(`the menu of the row to take the click on ${name}`, async () => {
      const open = await item.isVisible();
      if (clicked && !open) return true;
      const click = async () => {
        // A row that is drawn again may not take the click, and what takes the focus closes the menu.
        if (!open) await row.click({ button: "right", timeout: 3000 });
        await item.click({ timeout: 3000 });
        clicked = true;
        // A menu does not take a click that comes right after it has opened.
        await item.waitFor({ state: "hidden", timeout: 1000 });
      };
      return click().then(
        () => true,
        () => false,
      );
    });
  }

  /** The text editor in front, once it shows a file of a name. */
  async editorOf(file: string): Promise<Locator> {
    await this.page.locator(".tabs-container .tab.active").filter({ hasText: file }).waitFor();
    return this.page.locator(".editor-instance .monaco-editor").first();
  }

  /** The notifications that show a text. */
  notification(text: string | RegExp): Locator {
    return this.page
      .locator(".notifications-toasts .notification-toast:is(.notification-fade-in, .notification-fade-in-done)")
      .filter({ hasText: text });
  }

  /** Clicks a button of a notification that waits behind the bell. */
  async notificationAction(text: string | RegExp, button: string): Promise<void> {
    const item = this.page.locator(".notifications-center .notification-list-item").filter({ hasText: text });
    // What takes the focus closes the list.
    await until(`the notification ${text} to take the click on ${button}`, async () => {
      await this.command("Notifications: Show Notifications");
      const click = item.getByRole("button", { name: button, exact: true }).click({ timeout: 3000 });
      return click.then(
        () => true,
        () => false,
      );
    });
    await this.page.keyboard.press("Escape");
  }

  /** Waits until VS Code has shown a notification: what comes while the list behind the bell is open does not pop up. */
  async notified(text: string | RegExp): Promise<void> {
    const item = this.page.locator(".notifications-center .notification-list-item").filter({ hasText: text });
    await until(`the notification ${text}`, async () => {
      await this.command("Notifications: Show Notifications");
      return item.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await this.page.keyboard.press("Escape");
  }

  /** Points at something until VS Code shows a hover that holds a text, and returns that hover. */
  async hovered(target: Locator, text: string | RegExp): Promise<Locator> {
    const hover = this.page.locator(".monaco-hover:visible").filter({ hasText: text }).first();
    // What is drawn anew loses its hover, until the mouse comes again.
    await until(`a hover with ${text}`, async () => {
      await this.page.mouse.move(0, 0);
      return target
        .hover({ timeout: 3000 })
        .then(() => hover.waitFor({ timeout: 3000 }))
        .then(
          () => true,
          () => false,
        );
    });
    return hover;
  }

  /** What VS Code shows of an item of the status bar while the mouse is over it. */
  async statusBarTooltip(text: string | RegExp): Promise<string> {
    return until(`the tooltip of ${text}`, async () => {
      const hover = await this.hovered(this.statusBarItem(text), /\S/);
      return hover.innerText({ timeout: 3000 });
    });
  }

  /** The modal dialog. */
  dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }

  /** Waits for the webview whose page holds what a selector finds. */
  async webview(selector: string): Promise<Frame> {
    return until(
      `a webview with ${selector}`,
      async () => {
        for (const frame of this.page.frames()) {
          // A frame may go while it is asked.
          if (
            (await frame
              .locator(selector)
              .count()
              .catch(() => 0)) > 0
          )
            return frame;
        }
        return undefined;
      },
      timeout,
    );
  }

  /** Waits until the Chat view has a model chosen. */
  async modelChosen(name: string): Promise<void> {
    await this.#modelPicker(name).waitFor();
  }

  /** Chooses a model in the Chat view. */
  async chooseModel(name: string): Promise<void> {
    const option = this.page.getByRole("option").filter({ has: this.page.getByText(name, { exact: true }) });
    await until(`the model ${name} in the picker`, async () => {
      await this.#modelPicker().click();
      // The list is made when it is opened: a model that comes later is seen the next time. And a picker that is clicked
      // while the chat is still coming up does not open.
      const found = await this.page
        .getByPlaceholder("Search models")
        .fill(name, { timeout: 3000 })
        .then(() => option.click({ timeout: 3000 }))
        .then(() => this.#modelPicker(name).waitFor({ timeout: 3000 }))
        .then(
          () => true,
          () => false,
        );
      if (found) return true;
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Escape");
      return false;
    });
  }

  /** Opens the picker of models, and searches for a name. */
  async openModels(name: string): Promise<void> {
    const found = this.page.getByRole("option").filter({ hasText: name });
    // As chooseModel does: a click on the picker while it is open closes it.
    await until(`${name} in the picker`, async () => {
      await this.#modelPicker().click();
      const shown = await this.page
        .getByPlaceholder("Search models")
        .fill(name, { timeout: 3000 })
        .then(() => found.first().waitFor({ timeout: 3000 }))
        .then(
          () => true,
          () => false,
        );
      if (shown) return true;
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Escape");
      return false;
    });
  }

  #modelPicker(name = ""): Locator {
    const label = name === "" ? /^Models, / : `Models, ${name}`;
    return this.page.locator(".chat-input-toolbars").getByRole("button", { name: label, exact: true });
  }

  /** Begins another conversation in the Chat view, by the button of its title. */
  async newChat(): Promise<void> {
    await this.page
      .locator(".part.auxiliarybar")
      .getByRole("button", { name: /^New Chat/ })
      .first()
      .click();
    // What is typed before it is there goes to the old one.
    await this.page.locator(".part.auxiliarybar .interactive-response:visible").first().waitFor({ state: "hidden" });
  }

  /** Types a message into the Chat view and sends it. */
  async ask(text: string): Promise<void> {
    const input = this.page.locator(".interactive-input-editor").first();
    const begin = text.replaceAll(/\s/g, "").slice(0, 8);
    const stands = async () => (await input.innerText()).replaceAll(/\s/g, "").includes(begin);
    // A chat that VS Code is still making gets another input, and what was typed is gone.
    await until(`the message ${text} to stand in the chat`, async () => {
      await input.click();
      await this.page.keyboard.type(text);
      return until("the letters", stands, 3000).then(
        () => true,
        () => false,
      );
    });
    await this.page.keyboard.press("Escape"); // closes the suggestions, which would take the Enter
    await this.page.keyboard.press("Enter");
  }

  /** Empties the Chat view's input, in which VS Code keeps the last participant. */
  async clearInput(): Promise<void> {
    await this.page.locator(".interactive-input-editor").first().click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Delete");
  }

  /** Waits until the chat shows a text, which must occur once: the list of answers is virtual. */
  async answered(text: string | RegExp): Promise<void> {
    await this.page.locator(".interactive-response").getByText(text).last().waitFor();
  }

  /** The chat's question about a tool call. VS Code has it twice, and shows one of the two. */
  question(what: RegExp): Locator {
    return this.page
      .locator(".chat-confirmation-widget-container, .chat-tool-confirmation-carousel")
      .filter({ hasText: what })
      .filter({ visible: true })
      .first();
  }

  /** Allows the tool call that the chat asks about, once it shows what a pattern matches. */
  async allowed(what: RegExp): Promise<void> {
    await this.question(what)
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
  }

  /**
   * Changes the theme, as VS Code does when the desktop's colours change. What is
   * open stays open, a menu too.
   */
  async theme(kind: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: kind === "light" ? "light" : "dark" });
    await this.page.evaluate(`setDesktopContrast(${kind === "contrast"})`);
    await this.page.locator(`.monaco-workbench.${themeClasses[kind]}`).waitFor();
    await until(`${kind} webviews`, async () => {
      for (const frame of this.page.frames()) {
        const shown = await frame.evaluate<unknown>("document.body?.dataset.vscodeThemeKind").catch(() => undefined);
        if (shown !== undefined && shown !== webviewThemes[kind]) return false;
      }
      return true;
    });
  }

  /** Pastes a picture into the Chat view's box. */
  async pastePicture(): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.page.evaluate(`new Promise((resolve) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
      canvas.getContext("2d").fillRect(8, 8, 48, 48);
      canvas.toBlob(resolve);
    }).then((blob) => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]))`);
    await this.page.locator(".interactive-input-editor").first().click();
    await this.page.keyboard.press("Control+V");
    await this.page.locator(".chat-attached-context").getByText("Pasted Image").waitFor();
  }

  /**
   * Changes a setting of the user's, through the scripted model: VS Code in a
   * browser does not see that the file changes. To arrange a test, not to act in it.
   */
  async setting(name: string, value: unknown): Promise<void> {
    await this.command("Scripted Model: Change a Setting");
    await this.answer(`${name}=${JSON.stringify(value)}`);
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }
}
