// A database file of the user: the dialog in which a person chooses and inspects the file.
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

const SAMPLE = new URL('../../engine/tests/data/etcd_3.4.23_registry.db', import.meta.url);

const WRITERS = new URL('../../engine/tests/data/etcd_3.4.23_writers', import.meta.url);

// A snapshot of an etcd 3.4.23 with 259 keys, and its 32 bytes of SHA-256.
export const sample = () => readFileSync(SAMPLE);
// A snapshot with objects of several managers and deleted keys, and the ledger of the writes.
export const written = () => readFileSync(`${WRITERS.pathname}.db`);
// Two snapshots of one store, and a snapshot of a store that was restored from the first.
export const compared = (name) => readFileSync(new URL(`../../engine/tests/data/etcd_3.4.23_${name}.db`, import.meta.url));
// A snapshot with encrypted objects.
export const encrypted = () => compared('encrypted');
export const ledger = () => JSON.parse(readFileSync(`${WRITERS.pathname}.json`, 'utf8'));

const PAGE = 4096;
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const NO_FREELIST = 0xffffffffffffffffn;

// Writes the pages of the sample into a file of so many bytes: the meta pages count that many pages, and store no free list,
// so that all pages after those of the sample are free. The file is sparse, and takes no more space than the sample.
export function writeSparse(path, bytes) {
  const pages = sample().subarray(0, -32);
  for (const at of [16, PAGE + 16]) {
    pages.writeBigUInt64LE(NO_FREELIST, at + 32);
    pages.writeBigUInt64LE(BigInt(bytes / PAGE), at + 40);
    const checked = pages.subarray(at, at + 56);
    const hash = checked.reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * FNV_PRIME), FNV_OFFSET);
    pages.writeBigUInt64LE(hash, at + 56);
  }
  const file = openSync(path, 'w');
  writeSync(file, pages);
  ftruncateSync(file, bytes);
  closeSync(file);
}

export class Snapshot {
  constructor(page) {
    this.page = page;
    this.dialog = page.getByRole('dialog');
    this.explore = this.dialog.getByRole('button', { name: 'Explore this file' });
    this.prefixes = this.dialog.getByRole('region', { name: 'Which prefix uses the space?' });
    this.writers = this.dialog.getByRole('region', { name: 'Who wrote this?' });
    this.keys = this.dialog.getByRole('region', { name: /Which keys change most/ });
    this.maintenance = this.dialog.getByRole('region', { name: 'What if I compact and defragment?' });
    this.comparison = this.dialog.getByRole('region', { name: /^What changed between/ });
    this.difference = this.dialog.getByRole('region', { name: 'Difference' });
    this.decryption = this.dialog.getByRole('region', { name: 'Decrypt the values of API servers' });
    this.value = this.dialog.getByRole('region', { name: 'Value', exact: true });
    this.alert = this.dialog.getByRole('alert');
  }

  async choose(name, buffer) {
    await this.dialog.getByLabel(/^Choose/).setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  async compareWith(name, buffer) {
    await this.comparison.getByLabel('Compare with a file…').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  // Chooses a file on the disk, whose content is not copied.
  async chooseOnDisk(path) {
    await this.dialog.getByLabel(/^Choose/).setInputFiles(path);
  }

  // The memory of the engine in bytes. The memory of a WebAssembly program never shrinks, so this is its maximum.
  async engineMemory() {
    const worker = this.page.workers().find((one) => one.url().endsWith('worker_boot.js'));
    return worker.evaluate(async () => {
      const engine = await import(new URL('../worker.js', self.location.href).href);
      // The program is initialized, so this returns its exports.
      const { memory } = await engine.default();
      return memory.buffer.byteLength;
    });
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
