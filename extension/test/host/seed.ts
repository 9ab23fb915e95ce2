/**
 * A script for a page of VS Code's address, whose value is a promise. Without the
 * mark that it leaves in the browser's storage, a VS Code that is opened for the
 * first time disables the bundled Copilot extension until somebody signs in, and
 * with it agent mode, whichever model is picked.
 *
 * A text, since it runs in the page: our own programs know no DOM.
 */
export const seed = `new Promise((resolve, reject) => {
  const open = indexedDB.open("vscode-web-state-db-global");
  open.onupgradeneeded = () => open.result.createObjectStore("ItemTable");
  open.onerror = () => reject(open.error);
  open.onsuccess = () => {
    const write = open.result.transaction("ItemTable", "readwrite");
    write.objectStore("ItemTable").put("true", "builtinChatExtensionEnablementMigration");
    write.oncomplete = () => { open.result.close(); resolve(); };
  };
})`;
