// Writes a `.br` and a `.gz` beside each file of a folder: node compress.mjs FOLDER FILE…, paths below the folder.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const [folder, ...names] = process.argv.slice(2);

// Brotli's highest quality, and a window that covers every file here.
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
};

await Promise.all(names.map(async (name) => {
  const file = join(folder, name);
  const raw = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(raw, BROTLI).then((bytes) => writeFile(`${file}.br`, bytes)),
    promisify(gzip)(raw, { level: 9 }).then((bytes) => writeFile(`${file}.gz`, bytes)),
  ]);
}));
