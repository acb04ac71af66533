// Pictures of the page, compared with small references in `e2e/gallery`: greyscale pictures in which one cell shows the
// mean brightness of 8x8 pixels. Letters of another font change a cell a little and a block of cells hardly at all; a
// panel that moves changes whole blocks.
//
// Measured in all views as the greatest mean difference of a block, in steps of brightness from 0 to 255: at most 4 for
// a second picture of the same page (the references have 32 levels of grey); at most 9 for another font, or 27 where the
// wider letters wrap the lines of the inspector; 18 to 81 if the terminal is 16 px higher, and 20 to 28 if the inspector
// is 24 px wider.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from '@playwright/test';

const CELL = 8;
// The side of a block, in cells.
const BLOCK = 10;
const LEVELS = 32;
// The maximum mean difference of a block.
const DIFFERENCE_MAX = 14;

const FOLDER = new URL('../gallery/', import.meta.url);
const RESULTS = new URL('../test-results/gallery/', import.meta.url);

// The window of most pictures.
export const WINDOW = { width: 1280, height: 720 };

// Returns true if the references are being renewed.
export const renews = () => ['all', 'changed'].includes(test.info().config.updateSnapshots);

export class Gallery {
  constructor(page) {
    this.page = page;
  }

  // Compares the page with the reference of this name, or writes the reference if Playwright runs with
  // `--update-snapshots`.
  async check(name) {
    if (renews()) {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(new URL(`${name}.png`, FOLDER), encode(await this.cells(await this.still())));
      return;
    }
    const reference = await read(name);
    // A page that looks like its reference is at rest.
    if ((await this.bad(await this.shot(), reference)).length === 0) return;
    const shot = await this.still();
    const bad = await this.bad(shot, reference);
    if (bad.length === 0) return;
    await mkdir(RESULTS, { recursive: true });
    await writeFile(new URL(`${name}.png`, RESULTS), shot);
    await writeFile(new URL(`${name}.diff.png`, RESULTS), await this.marked(shot, reference, bad));
    const worst = Math.max(...bad.map(({ mean }) => mean)).toFixed(0);
    expect.soft(bad.length, `${name}: ${bad.length} blocks differ, by up to ${worst}; see test-results/gallery/${name}.diff.png`).toBe(0);
  }

  // Returns the blocks that differ from the reference of this name.
  async differs(name) {
    return this.bad(await this.still(), await read(name));
  }

  async bad(shot, reference) {
    const blocks = differences(await this.cells(shot), reference);
    if (process.env.WG_GALLERY_PRINT) console.log(blocks.map(({ mean }) => mean.toFixed(0)).sort((a, b) => b - a).slice(0, 8).join(' '));
    return blocks.filter(({ mean }) => mean > DIFFERENCE_MAX);
  }

  shot() {
    return this.page.screenshot({ animations: 'disabled', caret: 'hide' });
  }

  // Takes pictures until two pictures are equal, because then the fonts are loaded and nothing moves.
  async still() {
    let last = null;
    for (let tries = 0; tries < 20; tries += 1) {
      const shot = await this.shot();
      if (last?.equals(shot)) return shot;
      last = shot;
    }
    throw new Error('the page does not come to rest');
  }

  // Runs a function in an empty page, which draws on a canvas.
  async draw(body, ...rest) {
    this.canvas ??= await this.page.context().newPage();
    return this.canvas.evaluate(body, rest);
  }

  // Returns the mean brightness of each whole cell of the window.
  async cells(shot) {
    const { width, height } = this.page.viewportSize();
    const [columns, rows] = [Math.floor(width / CELL), Math.floor(height / CELL)];
    const values = await this.draw(async ([data, cell, columns, rows]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
      const sums = new Array(columns * rows).fill(0);
      for (let y = 0; y < rows * cell; y += 1) {
        for (let x = 0; x < columns * cell; x += 1) {
          const at = (y * image.width + x) * 4;
          const grey = 0.299 * pixels[at] + 0.587 * pixels[at + 1] + 0.114 * pixels[at + 2];
          sums[Math.floor(y / cell) * columns + Math.floor(x / cell)] += grey;
        }
      }
      return sums.map((sum) => Math.round(sum / (cell * cell)));
    }, shot.toString('base64'), CELL, columns, rows);
    return { columns, rows, values: Uint8Array.from(values) };
  }

  // Returns the picture with its different blocks framed, above the reference.
  async marked(shot, reference, bad) {
    const png = await this.draw(async ([data, small, frames]) => {
      const load = async (text) => createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
      const [image, before] = [await load(data), await load(small)];
      const canvas = new OffscreenCanvas(image.width, image.height * 2);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      context.drawImage(before, 0, image.height, image.width, image.height);
      context.strokeStyle = 'red';
      context.lineWidth = 3;
      for (const top of [0, image.height]) {
        for (const { x, y, side } of frames) context.strokeRect(x + 2, top + y + 2, side - 4, side - 4);
      }
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    }, shot.toString('base64'), encode(reference).toString('base64'), bad);
    return Buffer.from(png, 'base64');
  }
}

async function read(name) {
  const file = await readFile(new URL(`${name}.png`, FOLDER)).catch(() => {
    throw new Error(`e2e/gallery has no ${name}.png: run \`cargo xtask browser gallery.spec --update-snapshots\``);
  });
  return decode(file);
}

// Returns the mean difference of each block.
function differences(cells, reference) {
  const { columns, rows } = reference;
  const blocks = [];
  for (let top = 0; top < rows; top += BLOCK) {
    for (let left = 0; left < columns; left += BLOCK) {
      let [sum, count] = [0, 0];
      for (let y = top; y < Math.min(top + BLOCK, rows); y += 1) {
        for (let x = left; x < Math.min(left + BLOCK, columns); x += 1) {
          sum += Math.abs(cells.values[y * columns + x] - reference.values[y * columns + x]);
          count += 1;
        }
      }
      blocks.push({ x: left * CELL, y: top * CELL, side: BLOCK * CELL, mean: sum / count });
    }
  }
  return blocks;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

// Encodes cells as a greyscale PNG with few levels, which compresses well.
function encode({ columns, rows, values }) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(columns, 0);
  head.writeUInt32BE(rows, 4);
  // Eight bits of grey; no filters.
  head.set([8, 0, 0, 0, 0], 8);
  const step = 255 / (LEVELS - 1);
  const lines = Buffer.alloc((columns + 1) * rows);
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      lines[y * (columns + 1) + x + 1] = Math.round(Math.round(values[y * columns + x] / step) * step);
    }
  }
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

// Decodes a picture that `encode` has written.
function decode(png) {
  const at = png.indexOf('IDAT', 0, 'latin1');
  const length = png.readUInt32BE(at - 4);
  const head = png.indexOf('IHDR', 0, 'latin1') + 4;
  const [columns, rows] = [png.readUInt32BE(head), png.readUInt32BE(head + 4)];
  const lines = inflateSync(png.subarray(at + 4, at + 4 + length));
  const values = new Uint8Array(columns * rows);
  for (let y = 0; y < rows; y += 1) {
    values.set(lines.subarray(y * (columns + 1) + 1, (y + 1) * (columns + 1)), y * columns);
  }
  return { columns, rows, values };
}
