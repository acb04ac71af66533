// A database file of the user: the dialog in which a person chooses and inspects the file.
import { readFileSync } from 'node:fs';

const SAMPLE = new URL('../../engine/tests/data/etcd_3.4.23_registry.db', import.meta.url);

const WRITERS = new URL('../../engine/tests/data/etcd_3.4.23_writers', import.meta.url);

// A snapshot of an etcd 3.4.23 with 259 keys, and its 32 bytes of SHA-256.
export const sample = () => readFileSync(SAMPLE);
// A snapshot with objects of several managers and deleted keys, and the ledger of the writes.
export const written = () => readFileSync(`${WRITERS.pathname}.db`);
export const ledger = () => JSON.parse(readFileSync(`${WRITERS.pathname}.json`, 'utf8'));

export class Snapshot {
  constructor(page) {
    this.page = page;
    this.dialog = page.getByRole('dialog');
    this.explore = this.dialog.getByRole('button', { name: 'Explore this file' });
    this.prefixes = this.dialog.getByRole('region', { name: 'Which prefix uses the space?' });
    this.writers = this.dialog.getByRole('region', { name: 'Who wrote this?' });
    this.keys = this.dialog.getByRole('region', { name: /Which keys change most/ });
    this.maintenance = this.dialog.getByRole('region', { name: 'What if I compact and defragment?' });
    this.value = this.dialog.getByRole('region', { name: 'Value', exact: true });
    this.alert = this.dialog.getByRole('alert');
  }

  async choose(name, buffer) {
    await this.dialog.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  // The cells of the row with this name in a table.
  cells(region, name) {
    return region.getByRole('row').filter({ has: this.page.getByRole('rowheader', { name, exact: true }) }).getByRole('cell');
  }

  // Saves a file with a button, and returns its name and its text.
  async save(button) {
    const download = this.page.waitForEvent('download');
    await button.click();
    const file = await download;
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
  }

  fact(name) {
    return this.dialog.locator(`dt:text-is("${name}") + dd`);
  }
}
