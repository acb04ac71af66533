//! The table of differences between the simulated versions, beside the fidelity page.

use watchglass_engine::api::{Difference, Profile, Switch};

/// The rows of the section "Where the versions differ".
fn rows() -> String {
    let row = |difference: &Difference| {
        let [topic, before, after] = difference.texts();
        let since = difference.since().map(Profile::api_version);
        let since = since.unwrap_or("unreleased");
        format!("| {topic} | {before} | {since} | {after} |\n")
    };
    Difference::ALL.iter().map(row).collect()
}

#[test]
fn the_fidelity_page_has_every_difference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/fidelity.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, section) = page.split_once("## Where the versions differ\n").unwrap();
    let (head, table) = section.split_once("|---|---|---|---|\n").unwrap();
    let end = table.find("\n\n").map_or(table.len(), |end| end + 1);
    if std::env::var_os("BLESS").is_some() {
        let rest = &table[end..];
        let text = format!(
            "{before}## Where the versions differ\n{head}|---|---|---|---|\n{}{rest}",
            rows()
        );
        std::fs::write(path, text).unwrap();
        return;
    }
    assert_eq!(
        &table[..end],
        rows(),
        "run `BLESS=1 cargo test -p watchglass-engine versions::`"
    );
}

#[test]
fn a_version_keeps_the_differences_of_its_predecessors() {
    for pair in Profile::ALL.windows(2) {
        for difference in Difference::ALL {
            assert!(!pair[0].has(*difference) || pair[1].has(*difference));
        }
    }
}

#[test]
fn a_switch_changes_one_difference() {
    for profile in Profile::ALL {
        for (number, switched) in Difference::ISSUES {
            for (kind, is_fixed) in [("bug", false), ("fix", true)] {
                let switch = Switch::parse(kind, &format!("etcd#{number}")).unwrap();
                for difference in Difference::ALL {
                    let expected = match *difference == switched {
                        true => is_fixed,
                        false => profile.has(*difference),
                    };
                    assert_eq!(profile.with(switch).has(*difference), expected);
                }
            }
        }
    }
    assert_eq!(Switch::parse("bug", "etcd#1"), None);
    assert_eq!(Switch::parse("fix", "15220"), None);
}

#[test]
fn the_closest_version_has_the_same_minor_number() {
    let closest = |version| Profile::closest(version).map(Profile::api_version);
    assert_eq!(closest("3.4.0"), Some("3.4"));
    assert_eq!(closest("3.3.27"), Some("3.4"));
    assert_eq!(closest("3.5.9"), Some("3.5"));
    assert_eq!(closest("3.6.0-rc.3"), Some("3.6"));
    assert_eq!(closest("3.8.0"), Some("3.7"));
    assert_eq!(closest("4.0.1"), None);
    assert_eq!(closest("3.6"), None);
}
