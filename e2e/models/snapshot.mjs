// A database file of the user: the dialog in which a person chooses and inspects the file.
import { readFileSync } from 'node:fs';

const SAMPLE = new URL('../../engine/tests/data/etcd_3.4.23_registry.db', import.meta.url);

// A snapshot of an etcd 3.4.23 with 259 keys, and its 32 bytes of SHA-256.
export const sample = () => readFileSync(SAMPLE);

export class Snapshot {
  constructor(page) {
    this.page = page;
    this.dialog = page.getByRole('dialog');
    this.explore = this.dialog.getByRole('button', { name: 'Explore this file' });
    this.prefixes = this.dialog.getByRole('region', { name: 'Bytes and rows by prefix' });
    this.value = this.dialog.getByRole('region', { name: 'Value', exact: true });
    this.alert = this.dialog.getByRole('alert');
  }

  async choose(name, buffer) {
    await this.dialog.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  fact(name) {
    return this.dialog.locator(`dt:text-is("${name}") + dd`);
  }
}
