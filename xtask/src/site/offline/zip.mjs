// Writes zip files: names in UTF-8, contents deflated, no dates.
import { gzipSync } from 'node:zlib';

const VERSION = 20;
const UTF_8 = 1 << 11;
const DEFLATED = 8;
// 1 January 1980, the first day in a zip file.
const DAY = 0x21;

// `files` are pairs of a name and a content.
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of files) {
    const path = Buffer.from(name);
    const length = Buffer.byteLength(content);
    const packed = gzipSync(content, { level: 9 });
    // A gzip file is a header of 10 bytes, the deflated content, and its checksum and length.
    const body = packed.subarray(10, -8);
    const fields = Buffer.alloc(26);
    [VERSION, UTF_8, DEFLATED, 0, DAY].forEach((value, i) => fields.writeUInt16LE(value, i * 2));
    [packed.readUInt32LE(packed.length - 8), body.length, length].forEach((value, i) => fields.writeUInt32LE(value, 10 + i * 4));
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, path, body]);
    // Comment, disk and attributes are empty.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([VERSION, 0]), fields, rest, path]));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}
