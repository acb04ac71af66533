//! A thousand random worlds with API servers. Whatever happens to the network, the clients and etcd's history, every
//! guarantee of the API servers for reads and watches holds, and at the end every informer knows all objects. `SEED=7
//! cargo test -p watchglass-engine random_kube_worlds::` runs one world.

use crate::kube_worlds::KubeWorld;
use crate::support::seeds;
use watchglass_engine::observe::KubeGuarantee;

const WORLDS: u64 = 1_000;

#[test]
fn no_promise_is_broken_in_a_thousand_worlds() {
    let seeds = seeds(1..WORLDS + 1);
    let is_whole = seeds.end - seeds.start >= WORLDS;
    let (mut consistent, mut bookmarks) = (0, 0);
    for seed in seeds {
        let mut world = KubeWorld::new(seed, |world| world);
        world.live();
        let broken = world.kube.breaches();
        assert!(broken.is_empty(), "SEED={seed}: {broken:#?}");
        let of_etcd: Vec<_> = world.etcd.unexplained().collect();
        assert!(of_etcd.is_empty(), "SEED={seed}: {of_etcd:#?}");
        if let Err(why) = world.looks_right() {
            panic!("SEED={seed}: {why}");
        }
        consistent += u64::from(world.kube.applied(KubeGuarantee::ConsistentList).is_some());
        bookmarks += u64::from(world.kube.applied(KubeGuarantee::Bookmarkable).is_some());
    }
    if is_whole {
        assert!(
            consistent > WORLDS / 2 && bookmarks > WORLDS / 4,
            "they say something"
        );
    }
}
