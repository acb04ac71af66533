//! Damaged database files. Each damage is reported with its page and its byte; no call panics, and every call ends.
//!
//! The file is `data/bbolt_buckets.db`, written by bbolt. The file has pages of 1 KiB, branch pages, overflow pages, a
//! stored free list, and three special buckets: one nested, one inline and one empty.

use watchglass_engine::bbolt::check::{Checker, Findings, Use};
use watchglass_engine::bbolt::page::Kind;
use watchglass_engine::bbolt::{Damage, Db, File, Options, View};

const PAGE: usize = 1024;

fn sample() -> Vec<u8> {
    include_bytes!("data/bbolt_buckets.db").to_vec()
}

fn check(bytes: &[u8]) -> Result<Findings, Damage> {
    let file = File::open(bytes.into())?;
    Ok(Checker::new(file.view()).run())
}

/// Returns the page number of the root page, which the current meta page contains.
fn root() -> usize {
    let file = File::open(sample().into()).expect("a file");
    file.view().meta().root.page as usize
}

fn first(used: Use) -> usize {
    let uses = check(&sample()).expect("a file").uses;
    uses.iter()
        .position(|u| *u == used)
        .expect("a page of this use")
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes[at..at + what.len()].copy_from_slice(what);
}

/// Changes the sample file, and returns the descriptions of the damage that the checker then finds.
fn damages(change: impl Fn(&mut Vec<u8>)) -> Vec<String> {
    let mut bytes = sample();
    change(&mut bytes);
    match check(&bytes) {
        Ok(findings) => findings.damages.iter().map(ToString::to_string).collect(),
        Err(damage) => vec![damage.to_string()],
    }
}

#[test]
fn a_good_file_has_no_damage() {
    let findings = check(&sample()).expect("a file");
    assert_eq!(findings.damages, []);
    assert_eq!((findings.buckets, findings.keys), (5, 302));
    for used in [
        Use::Branch,
        Use::Leaf,
        Use::Overflow,
        Use::Freelist,
        Use::Free,
    ] {
        assert!(findings.uses.contains(&used), "{used:?}");
    }
    let filled = findings.filled_bytes as usize;
    assert!((20_000..sample().len()).contains(&filled), "{filled}");
}

#[test]
fn one_damaged_meta_page_leaves_the_other() {
    let file = File::open(sample().into()).expect("a file");
    let newest = file.view().meta();
    for (page, size_is_known) in [(0, false), (1, true)] {
        let mut bytes = sample();
        bytes[page * PAGE + 30] ^= 1;
        let file = File::open(bytes.into()).expect("the other meta page");
        assert_eq!(file.view().meta().page_size, PAGE as u32, "{size_is_known}");
        assert!(file.metas()[page].is_err());
        let is_newest = newest.page_id() as usize == page;
        assert_eq!(file.view().meta().txid, newest.txid - u64::from(is_newest));
    }
}

/// A file counts as damaged if its last transaction has such a large number that no numbers are left for later
/// transactions.
#[test]
fn the_last_transaction_has_a_number_that_leaves_room() {
    let mut bytes = sample();
    let mut meta = File::open(sample().into()).expect("a file").view().meta();
    meta.txid = u64::MAX - 1;
    put(&mut bytes, 0, &meta.to_page(0));
    let damages = check(&bytes).expect("a file").damages;
    assert_eq!(
        damages[0].to_string(),
        "page 0, byte 64: the last transaction has the number 18446744073709551614, \
         which leaves no numbers for later transactions"
    );
}

#[test]
fn files_that_are_no_database() {
    assert_eq!(
        damages(|bytes| bytes.clear()),
        ["the file has 0 bytes, too few for the two meta pages of a database"]
    );
    let sqlite = damages(|bytes| {
        bytes.clear();
        bytes.extend_from_slice(b"SQLite format 3\0");
        bytes.resize(4096, 7);
    });
    assert_eq!(
        sqlite,
        [
            "page 0, byte 16: this is not a bbolt meta page: the magic number is 0x07070707, expected 0xed0cdaed; \
          page 1, byte 1040: this is not a bbolt meta page: the magic number is 0x07070707, expected 0xed0cdaed"
        ]
    );
    let version = damages(|bytes| {
        bytes[20] = 3;
        bytes[PAGE + 20] = 3;
    });
    assert!(version[0].starts_with("page 0, byte 20: the format version is 3, expected 2"));
    let checksum = damages(|bytes| {
        bytes[40] ^= 1;
        bytes[PAGE + 40] ^= 1;
    });
    assert!(
        checksum[0].contains("page 1, byte 1096: the checksum is 0x"),
        "{checksum:?}"
    );
}

#[test]
fn each_damage_is_named() {
    let (root, branch, freelist) = (root(), first(Use::Branch), first(Use::Freelist));
    let leaf_kind = Kind::Leaf.flags();

    let truncated = damages(|bytes| bytes.truncate(40 * PAGE));
    assert!(
        truncated[0]
            .contains("counts 59 pages, but the file has 40: the end of the file is missing"),
        "{truncated:?}"
    );

    let id = damages(|bytes| bytes[root * PAGE] ^= 1);
    let at = root * PAGE;
    assert_eq!(
        id[0],
        format!(
            "page {root}, byte {at}: the page number in the page header is {}",
            root ^ 1
        )
    );

    let kind = damages(|bytes| bytes[root * PAGE + 8] = 3);
    let at = root * PAGE + 8;
    assert_eq!(
        kind[0],
        format!(
            "page {root}, byte {at}: the page has the flags 0x0003, \
             expected the flags of a branch, leaf, meta or free list page"
        )
    );

    let count = damages(|bytes| put(bytes, root * PAGE + 10, &[0xff, 0xff]));
    let at = root * PAGE + 10;
    assert_eq!(
        count[0],
        format!("page {root}, byte {at}: the page claims 65535 elements, but has room for 63")
    );

    let overflow = damages(|bytes| put(bytes, root * PAGE + 12, &[0xff; 4]));
    assert!(
        overflow[0].contains("claims 4294967295 overflow pages, but the file has 61 pages"),
        "{overflow:?}"
    );

    let pos = damages(|bytes| put(bytes, root * PAGE + 16 + 4, &[0xff; 4]));
    let at = root * PAGE + 16;
    assert_eq!(
        pos[0],
        format!("page {root}, byte {at}: element 0 extends beyond the end of the page")
    );

    let empty_key = damages(|bytes| put(bytes, root * PAGE + 16 + 8, &[0; 4]));
    assert_eq!(
        empty_key[0],
        format!("page {root}, byte {at}: element 0 has an empty key")
    );

    let link = damages(|bytes| put(bytes, branch * PAGE + 16 + 8, &[99]));
    let at = branch * PAGE + 24;
    assert_eq!(
        link[0],
        format!("page {branch}, byte {at}: a link leads to page 99, but the file has 59 pages")
    );

    let cycle = damages(|bytes| put(bytes, branch * PAGE + 16 + 8, &[branch as u8]));
    assert_eq!(
        cycle[0],
        format!("page {branch}, byte {at}: two links in the file lead to the page")
    );

    let to_freelist = damages(|bytes| put(bytes, branch * PAGE + 16 + 8, &[freelist as u8]));
    assert_eq!(
        to_freelist[0],
        format!("page {freelist}, byte {at}: two links in the file lead to the page")
    );

    // Exchanges the keys of the first two elements of the first leaf.
    let leaf = check(&sample())
        .expect("a file")
        .uses
        .iter()
        .enumerate()
        .position(|(page, used)| {
            *used == Use::Leaf && page != root && sample()[page * PAGE + 10] > 3
        });
    let leaf = leaf.expect("a leaf with four keys");
    let order = damages(|bytes| {
        let at = leaf * PAGE + 16;
        let elements: Vec<u8> = [&bytes[at + 16..at + 32], &bytes[at..at + 16]].concat();
        put(bytes, at, &elements);
        // `pos` is an offset from the start of the element.
        for (element, more) in [(at, 16), (at + 16, -16_i32)] {
            let pos = i32::from_le_bytes(bytes[element + 4..element + 8].try_into().unwrap());
            put(bytes, element + 4, &(pos + more).to_le_bytes());
        }
    });
    // The first key also differs from the key of the link to the page.
    for (damage, element) in order.iter().zip(0..2) {
        let expected = format!("the key of element {element} is out of order");
        assert!(damage.ends_with(&expected), "{order:?}");
    }

    // A writer finds the link to a page by the page's first key, so another first key is damage, and so is a page
    // without keys.
    let first_key = damages(|bytes| {
        let at = leaf * PAGE + 16;
        let pos = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
        let key = at + pos as usize;
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        bytes[key + length - 1] += 1;
    });
    assert!(
        first_key[0].ends_with("the key of element 0 is out of order"),
        "{first_key:?}"
    );
    let no_key = damages(|bytes| put(bytes, leaf * PAGE + 10, &[0, 0]));
    assert!(
        no_key[0].ends_with("the leaf page has no elements, but a branch page links to it"),
        "{no_key:?}"
    );

    // A writer that merges the only child of a page would find no sibling.
    let branch = first(Use::Branch);
    let single = damages(|bytes| put(bytes, branch * PAGE + 10, &[1, 0]));
    assert!(
        single[0].ends_with("the branch page has 1 element, expected at least 2"),
        "{single:?}"
    );

    let bucket = damages(|bytes| put(bytes, root * PAGE + 16 + 12, &[8, 0]));
    assert!(
        bucket[0].ends_with("element 0 is a bucket, but its value is not a bucket header"),
        "{bucket:?}"
    );

    let free = damages(|bytes| put(bytes, freelist * PAGE + 16, &[root as u8]));
    assert!(free.contains(&format!(
        "page {root}, byte {}: the page is in use, but also in the free list",
        root * PAGE
    )));
    assert!(
        free.iter()
            .any(|d| d.ends_with("the page is neither in use nor in the free list")),
        "{free:?}"
    );

    let twice = damages(|bytes| {
        let id = bytes[freelist * PAGE + 16];
        put(bytes, freelist * PAGE + 24, &[id]);
    });
    assert!(
        twice[0].contains("which cannot be free or is listed twice"),
        "{twice:?}"
    );

    let list_count = damages(|bytes| {
        put(bytes, freelist * PAGE + 10, &[0xff; 2]);
        put(bytes, freelist * PAGE + 16, &[0xff; 8]);
    });
    assert!(
        list_count[0].ends_with("claims 18446744073709551615 elements, but has room for 125"),
        "{list_count:?}"
    );

    let list_kind = damages(|bytes| bytes[freelist * PAGE + 8] = leaf_kind as u8);
    assert!(
        list_kind[0]
            .ends_with("the page has the flags 0x0002, expected the flags of a free list page"),
        "{list_kind:?}"
    );
}

/// The report of damage in an inline bucket names the damaged byte by its position in the file.
#[test]
fn damage_in_an_inline_bucket_has_its_own_place() {
    let bytes = sample();
    let root = root();
    let page = &bytes[root * PAGE..(root + 1) * PAGE];
    let name = page
        .windows(6)
        .position(|w| w == b"inline")
        .expect("the bucket");
    // The header of the bucket and its page follow the name; the count of the page is at byte 10.
    let at = root * PAGE + name + 6 + 16 + 10;
    assert_eq!(bytes[at], 1);
    assert_eq!(
        damages(|bytes| bytes[at] = 9),
        [format!(
            "page {root}, byte {at}: the page claims 9 elements, but has room for 1"
        )]
    );
}

/// Reads all rows of the file through cursors, forwards and backwards, and counts the reads.
fn walk(view: &View, path: &[&[u8]], reads: &mut u64) -> Result<(), Damage> {
    let Some(mut cursor) = view.cursor(path)? else {
        return Ok(());
    };
    let mut buckets = Vec::new();
    let mut entry = cursor.first()?;
    while let Some(found) = entry {
        *reads += 1;
        if found.is_bucket {
            buckets.push(found.key);
        }
        entry = cursor.next()?;
    }
    let mut entry = cursor.last()?;
    while entry.is_some() {
        *reads += 1;
        entry = cursor.prev()?;
    }
    if path.len() < 3 {
        for name in buckets {
            let deeper: Vec<&[u8]> = path.iter().copied().chain([&*name]).collect();
            // A damaged bucket must not hide the next bucket.
            let _ = walk(view, &deeper, reads);
        }
    }
    Ok(())
}

#[test]
fn a_self_link_ends() {
    let mut bytes = sample();
    let branch = first(Use::Branch);
    for element in 0..usize::from(bytes[branch * PAGE + 10]) {
        put(
            &mut bytes,
            branch * PAGE + 16 + 16 * element + 8,
            &[branch as u8],
        );
    }
    let file = File::open(bytes.into()).expect("a file");
    let mut cursor = file
        .view()
        .cursor(&[b"many"])
        .expect("a bucket")
        .expect("a bucket");
    let error = cursor.first().expect_err("a cycle");
    assert_eq!(
        error.to_string(),
        format!(
            "page {branch}, byte {}: two links in the file lead to the page",
            branch * PAGE
        )
    );
    let error = file
        .view()
        .get(&[b"many"], b"key-00007")
        .expect_err("a cycle");
    assert!(
        error
            .to_string()
            .contains("deeper in the tree than any page of a valid file"),
        "{error}"
    );
}

#[test]
fn a_read_needs_its_path_only() {
    let file = File::open(sample().into()).expect("a file");
    let keys = [b"key-00007", b"key-00150", b"key-00299"];
    for key in keys {
        let mut buckets = file
            .view()
            .cursor(&[])
            .expect("no damage")
            .expect("the root");
        buckets.seek(b"many").expect("no damage").expect("a bucket");
        let mut cursor = file
            .view()
            .cursor(&[b"many"])
            .expect("no damage")
            .expect("a bucket");
        let value = cursor.seek(key).expect("no damage").expect("a row").value;
        let needed: Vec<u64> = [buckets.path(), cursor.path()]
            .iter()
            .flatten()
            .map(|(page, _)| *page)
            .collect();
        assert!(needed.len() < 6, "{needed:?}");
        let mut bytes = sample();
        for (page, content) in bytes.chunks_mut(PAGE).enumerate().skip(2) {
            if !needed.contains(&(page as u64)) {
                content.fill(0xee);
            }
        }
        let file = File::open(bytes.into()).expect("a file");
        assert_eq!(file.view().get(&[b"many"], key), Ok(Some(value)));
    }
}

/// Changes one to four bytes at random positions, mostly in headers and elements. Sometimes also truncates the file.
#[test]
fn random_damage_never_panics_and_never_runs_on() {
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let good = sample();
    let (mut refused, mut damaged) = (0, 0);
    for case in 0..1500 {
        let mut bytes = good.clone();
        for _ in 0..=below(3) {
            let page = below(good.len() / PAGE);
            let at = page * PAGE
                + if below(3) == 0 {
                    below(PAGE)
                } else {
                    below(96)
                };
            bytes[at] = [0, 1, 0xff, bytes[at] ^ (1 << below(8)), below(256) as u8][below(5)];
        }
        if below(8) == 0 {
            bytes.truncate(below(good.len()));
        }
        let Ok(file) = File::open(bytes.clone().into()) else {
            refused += 1;
            continue;
        };
        let findings = Checker::new(file.view()).run();
        let mut reads = 0;
        let walked = walk(file.view(), &[], &mut reads);
        // A bound for any file: no page is longer than the file, and no cursor enters more pages than the file has.
        assert!(reads < 100_000, "case {case}: {reads} reads");
        if findings.damages.is_empty() {
            assert_eq!(walked, Ok(()), "case {case}");
            assert!(
                Db::open(bytes.into(), Options::default()).is_ok(),
                "case {case}"
            );
        } else {
            damaged += 1;
            assert!(
                Db::open(bytes.into(), Options::default()).is_err(),
                "case {case}"
            );
        }
    }
    assert!(
        refused > 0 && damaged > 500,
        "{refused} refused, {damaged} damaged"
    );
}
