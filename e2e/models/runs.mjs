// Runs for tests and benchmarks, as text for `window.watchglass.load`. The same arguments give the same text.

// Many keys, forty of which are written again and again; every eighth change of these keys is a delete.
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

// Watchers that start at many past revisions, are synced by two sync passes of 512, and receive writes meanwhile.
export function sweptRun({ watchers, streams }) {
  const puts = (round) => `for i in {1..30}; do put /pods/p-$i v${round}-$i; done`;
  return `${[
    ...Array.from({ length: 10 }, (_, round) => puts(round)),
    `watch /pods/ --prefix --many=${watchers} --streams=${streams} --rev=spread as crowd`,
    'run 90ms',
    puts(10),
    'run 300ms',
  ].join('\n')}\n`;
}

// Keys that change in turn, a watcher for each key, and then writes, one per beat.
export function lanesRun({ lanes, changes, moves }) {
  const numbers = Array.from({ length: lanes }, (_, n) => n);
  return `${[
    ...Array.from({ length: changes }, (_, round) => numbers.map((n) => `put /registry/pods/p-${n} v${round}`)).flat(),
    ...numbers.map((n) => `watch /registry/pods/p-${n} as w${n}`),
    ...Array.from({ length: 2 * moves }, (_, n) => `put /registry/pods/p-${(n * 7) % lanes} w${n}`),
  ].join('\n')}\n`;
}

// A cluster whose first two members are cut off from the others for half of each 5 s, while a client writes to etcd-1.
export function brokenClusterRun({ members, puts, seconds }) {
  const names = Array.from({ length: members }, (_, n) => `etcd-${n + 1}`);
  const [few, many] = [names.slice(0, 2), names.slice(2)].map((side) => side.join(' '));
  return `${[
    `world members=${members} seed=7`,
    'run 3s',
    `load writers /registry/pods/ --puts=${puts} --keys=1000`,
    ...Array.from({ length: seconds / 5 }, () => [`fault partition ${few} | ${many}`, 'run 2500ms', 'heal', 'run 2500ms']).flat(),
  ].join('\n')}\n`;
}

// The cluster of the KEP's estimate: 5,000 nodes with 30 pods each, whose kubelets list the pods of their node once a
// minute.
export function kubeletsRun({ policy, cache }) {
  return `${[
    'populate --nodes=5000 --pods=30 --size=5kB',
    `apiserver api-1 --policy=${policy} --cache=${cache}`,
    'run 1s',
    'kubelets 5000 as fleet --every=60s',
    'run 1s',
  ].join('\n')}\n`;
}

// The writes of each second: one new pod, and a write of another resource, about which the cache gets no event.
export function clusterSeconds(seconds) {
  const put = 'put /registry/leases/kube-node-lease/node-$i now';
  return `for i in {1..${seconds}}; do kubectl create pod new-$i --node=node-$i; ${put}; run 1s; done`;
}

// Five keys with a transaction, a delete and a second generation; `compact 8` leaves pins and gaps.
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

// Two API servers with a short history; the second no longer receives events, and a client reads from both.
export const TWO_SERVERS = [
  'apiserver api-1 --resources=pods:16',
  'apiserver api-2 --resources=pods:16',
  'run 300ms',
  'for i in {1..20}; do kubectl create pod web-$i --node=node-1; done',
  'informer pods as controller --server=api-2',
  'run 300ms',
  'put /registry/configmaps/default/x 1',
  'net api-2 hold',
  'kubectl delete pod web-3 --server=api-1',
  'put /registry/configmaps/default/x 2',
  'kubectl get pods -A --server=api-1',
  'kubectl get pods -A --server=api-2 --resource-version=0',
  'run 20ms',
];

// Several lines at once: a transaction of two puts.
export const TXN = 'txn\n\nput /registry/pods/web-1 Pending\nput /registry/pods/web-3 Pending\n\n\n';
