// Returns all that the browser stores for the site of a page, as text.
export function stored(page) {
  return page.evaluate(async () => {
    const request = (asked) => new Promise((resolve, reject) => {
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
    let text = JSON.stringify(localStorage) + JSON.stringify(sessionStorage);
    for (const { name } of await indexedDB.databases()) {
      const database = await request(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        text += JSON.stringify(await request(database.transaction(store).objectStore(store).getAll()));
      }
      database.close();
    }
    return text;
  });
}
