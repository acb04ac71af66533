// Runs for tests and benchmarks: text that `window.watchglass.load` takes. The same arguments give the same text.

// Many keys, of which forty are written again and again; every eighth change of those is a delete.
export function denseRun({ keys, events }) {
  const kinds = ['pods', 'nodes', 'leases', 'services'];
  const key = (n) => `/registry/${kinds[n % kinds.length]}/ns-${n % 7}/obj-${n}`;
  const lines = [];
  let random = 12345;
  const below = (limit) => {
    random = (random * 48271) % 2147483647;
    return random % limit;
  };
  for (let n = 0; n < keys; n++) lines.push(`put ${key(n)} v${n}`);
  for (let n = keys; n < events; n++) {
    const busy = below(100) < 60;
    const target = key(below(busy ? Math.min(40, keys) : keys));
    lines.push(busy && below(8) === 0 ? `del ${target}` : `put ${target} w${n}`);
  }
  return `${lines.join('\n')}\n`;
}

// Five keys with a transaction, a delete and a second life; `compact 8` leaves pins and gaps.
export const PODS = `
put /registry/nodes/n1 Ready
put /registry/pods/web-1 Pending
put /registry/pods/web-2 Pending
put /registry/leases/n1 t0
put /registry/nodes/n1 Ready
put /registry/pods/web-1 Running
put /registry/leases/n1 t1
put /registry/pods/web-2 Running
put /registry/nodes/n1 NotReady
put /registry/leases/n1 t2
put /registry/pods/web-1 Failed
put /registry/leases/n1 t3
put /registry/nodes/n1 Ready
del /registry/pods/web-1
put /registry/leases/n1 t4
`.trimStart();

// Several lines at once: a transaction of two puts.
export const TXN = 'txn\n\nput /registry/pods/web-1 Pending\nput /registry/pods/web-3 Pending\n\n\n';
