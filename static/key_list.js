// The keys of an etcd with a prefix, read page by page, as a file that the app opens as a database
// (engine/src/etcd/key_list.rs).
import { bytesOf } from './etcd_gateway.js';
import { Refusal } from './message.js';

const PAGE_KEYS = 500;
// The app reads a list of up to 256 MiB.
const CHARS_MAX = 2 ** 28;

const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

// All keys: the key and the end of the range are both the zero byte.
export const ALL_KEYS = { key: 'AA==', range_end: 'AA==' };

// Returns the range of the keys with a prefix.
export function rangeOf(prefix) {
  const start = new TextEncoder().encode(prefix);
  // UTF-8 has no byte 255, so the last byte has a successor.
  const end = start.with(-1, start.at(-1) + 1);
  return { key: base64(start), range_end: base64(end) };
}

// Returns the parts of the file: the keys of the range at a revision. Calls `progress` with the keys that have arrived, and all.
export async function listKeys(gateway, range, revision, signal, progress) {
  const parts = [`{"header":{"revision":${revision}},"kvs":[`];
  let [key, count, chars] = [range.key, 0, 0];
  for (let more = true; more;) {
    const body = { key, range_end: range.range_end, limit: PAGE_KEYS, revision };
    const { kvs = [], more: isCut, count: left = 0 } = await gateway.ask('kv/range', body, signal);
    const text = JSON.stringify(kvs).slice(1, -1);
    if (text) parts.push(count ? `,${text}` : text);
    chars += text.length;
    if (chars > CHARS_MAX) throw new Refusal('The keys with this prefix have more than 256 MB.', 'Write a longer prefix.');
    progress(count + kvs.length, count + Number(left));
    count += kvs.length;
    more = Boolean(isCut) && kvs.length > 0;
    if (more) key = base64([...bytesOf(kvs.at(-1).key), 0]);
  }
  parts.push(']}');
  return parts;
}
