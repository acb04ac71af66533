//! Reads `get`, `put` and `del`, as a command or as a line of a transaction.
//!
//! Mirrors `getGetOp`, `getPutOp` and `getDelOp` in `etcdctl/ctlv3/command`, and the parts of `client/v3/op.go` that
//! turn options into a request. Not supported: values from standard input. etcdctl reads the value from standard input
//! if `put` has no value argument.

use super::flags::Parsed;
use crate::api::{
    DeleteRangeRequest, Difference, Profile, PutRequest, RangeRequest, SortOrder, SortTarget,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::go::number::parse_int;
use crate::base::go::quote::quoted;
use crate::shell::Output;

/// etcdctl's exit codes, with the names from upstream (`pkg/cobrautl/error.go`).
pub(in crate::shell) const EXIT_ERROR: u8 = 1;
pub(in crate::shell) const EXIT_BAD_CONNECTION: u8 = 2;
pub(in crate::shell) const EXIT_INVALID_INPUT: u8 = 3;
pub(in crate::shell) const EXIT_BAD_FEATURE: u8 = 4;
pub(in crate::shell) const EXIT_INTERRUPTED: u8 = 5;
pub(in crate::shell) const EXIT_BAD_ARGS: u8 = 128;

/// The exit code of a program that Ctrl-C ended, as a shell reports it.
pub(in crate::shell) const EXIT_CTRL_C: u8 = 130;

fn bad_args(text: &str) -> Output {
    Output::error(text, EXIT_BAD_ARGS)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(in crate::shell) fn put(parsed: &Parsed) -> Result<PutRequest, Output> {
    const NEEDS: &str = "put command needs 1 argument and input from stdin or 2 arguments";
    let ignore_value = parsed.on("ignore-value");
    let (key, value) = match (parsed.args.as_slice(), ignore_value) {
        ([], _) => return Err(bad_args(NEEDS)),
        ([_, _, ..], true) => {
            return Err(bad_args(
                "put command needs only 1 argument when 'ignore-value' is set",
            ));
        }
        ([key], true) => (key, Bytes::default()),
        ([_], false) => return Err(bad_args(NEEDS)),
        ([key, value, ..], false) => (key, Bytes::from(value.as_slice())),
    };
    let lease = parse_int(parsed.text("lease").unwrap_or(b"0"), 16).map_err(|complaint| {
        bad_args(&format!("bad lease ID ({complaint}), expecting ID in Hex"))
    })?;
    Ok(PutRequest {
        key: Bytes::from(key.as_slice()),
        value,
        lease,
        prev_kv: parsed.on("prev-kv"),
        ignore_value,
        ignore_lease: parsed.on("ignore-lease"),
    })
}

pub(in crate::shell) fn get(parsed: &Parsed, profile: Profile) -> Result<RangeRequest, Output> {
    let bad_feature = |text: &str| Output::error(text, EXIT_BAD_FEATURE);
    let Some(key) = parsed.args.first() else {
        return Err(bad_args(
            "get command needs one argument as key and an optional argument as range_end",
        ));
    };
    one_kind_of_range(parsed)?;
    if profile.has(Difference::RefusesKeysAndCount)
        && parsed.on("keys-only")
        && parsed.on("count-only")
    {
        return Err(bad_args(
            "`--keys-only` and `--count-only` cannot be set at the same time, choose one",
        ));
    }
    let serializable = is_serializable(parsed)?;
    let (key, range_end) = range(key, parsed)?;

    let order = parsed.text("order").unwrap_or_default();
    let sort_order = match order.to_ascii_uppercase().as_slice() {
        b"" => SortOrder::None,
        b"ASCEND" => SortOrder::Ascend,
        b"DESCEND" => SortOrder::Descend,
        _ => return Err(bad_feature(&format!("bad sort order {}", text(order)))),
    };
    let target = parsed.text("sort-by").unwrap_or_default();
    let sort_target = match target.to_ascii_uppercase().as_slice() {
        b"" | b"KEY" => SortTarget::Key,
        b"CREATE" => SortTarget::Create,
        b"MODIFY" => SortTarget::Mod,
        b"VALUE" => SortTarget::Value,
        b"VERSION" => SortTarget::Version,
        _ => return Err(bad_feature(&format!("bad sort target {}", text(target)))),
    };
    // Like `WithSort` of the client, this omits the order if the key index already has this order.
    let sort_order = match (sort_target, sort_order) {
        (SortTarget::Key, SortOrder::Ascend) => SortOrder::None,
        (_, order) => order,
    };
    let [min_create_revision, max_create_revision] = revisions(parsed, "Create")?;
    let [min_mod_revision, max_mod_revision] = revisions(parsed, "Mod")?;
    Ok(RangeRequest {
        key,
        range_end,
        limit: parsed.int("limit"),
        revision: parsed.int("rev").max(0),
        sort_order,
        sort_target,
        serializable,
        keys_only: parsed.on("keys-only"),
        count_only: parsed.on("count-only"),
        min_mod_revision,
        max_mod_revision,
        min_create_revision,
        max_create_revision,
    })
}

/// Returns the bounds that the flags of `get` set for a revision of the keys. etcdctl ignores bounds below 1.
fn revisions(parsed: &Parsed, what: &str) -> Result<[i64; 2], Output> {
    let flag = |bound: &str| {
        let name = format!("{bound}-{}-rev", what.to_ascii_lowercase());
        parsed.int(&name)
    };
    let (min, max) = (flag("min"), flag("max"));
    if max > 0 && min > max {
        let text = format!("getMin{what}Rev(={min}) > getMax{what}Rev(={max})");
        return Err(Output::error(&text, EXIT_BAD_FEATURE));
    }
    Ok([min.max(0), max.max(0)])
}

/// Returns true if `--consistency` selects a serializable read.
pub(in crate::shell) fn is_serializable(parsed: &Parsed) -> Result<bool, Output> {
    match parsed.text("consistency").unwrap_or(b"l") {
        b"l" => Ok(false),
        b"s" => Ok(true),
        other => {
            let text = format!("unknown consistency flag {}", quoted(other));
            Err(Output::error(&text, EXIT_BAD_FEATURE))
        }
    }
}

/// Returns the warning that `del` prints before it deletes a range without `--range`. etcdctl then waits for two
/// seconds; the simulator does not.
pub(in crate::shell) fn range_warning(parsed: &Parsed, profile: Profile) -> Option<String> {
    let [from, to] = parsed.args.as_slice() else {
        return None;
    };
    if parsed.on("range") || profile < Profile::V3_5 {
        return None;
    }
    Some(match profile.has(Difference::WarnsAboutRange) {
        false => "In etcd v3.6, the operation will be suspended for a few seconds to provide the user time to verify \
                  range.\n"
            .to_owned(),
        true => {
            let (from, to) = (quoted(from), quoted(to));
            format!(
            "Warning: Keys between {from} and {to} will be deleted. Please interrupt the command within next 2 seconds \
             to cancel. You can provide `--range` flag to avoid the delay.\n"
        )
        }
    })
}

pub(in crate::shell) fn del(parsed: &Parsed) -> Result<DeleteRangeRequest, Output> {
    let ([key] | [key, _]) = parsed.args.as_slice() else {
        return Err(bad_args(
            "del command needs one argument as key and an optional argument as range_end",
        ));
    };
    one_kind_of_range(parsed)?;
    let (key, range_end) = range(key, parsed)?;
    Ok(DeleteRangeRequest {
        key,
        range_end,
        prev_kv: parsed.on("prev-kv"),
    })
}

fn one_kind_of_range(parsed: &Parsed) -> Result<(), Output> {
    if parsed.on("prefix") && parsed.on("from-key") {
        return Err(bad_args(
            "`--prefix` and `--from-key` cannot be set at the same time, choose one",
        ));
    }
    Ok(())
}

/// Returns the key and the range end that the arguments and the flags `--prefix` and `--from-key` select.
fn range(key: &[u8], parsed: &Parsed) -> Result<(Bytes, Bytes), Output> {
    let (prefix, from_key) = (parsed.on("prefix"), parsed.on("from-key"));
    match parsed.args.get(1) {
        Some(_) if prefix || from_key => Err(bad_args(
            "too many arguments, only accept one argument when `--prefix` or `--from-key` is set",
        )),
        Some(end) => Ok((Bytes::from(key), Bytes::from(end.as_slice()))),
        None if (prefix || from_key) && key.is_empty() => Ok((Bytes::zero(), Bytes::zero())),
        None if prefix => Ok((Bytes::from(key), prefix_end(key))),
        None if from_key => Ok((Bytes::from(key), Bytes::zero())),
        None => Ok((Bytes::from(key), Bytes::default())),
    }
}
